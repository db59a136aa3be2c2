// SPDX-License-Identifier: Apache-2.0
// offload: deriche
#define W 32
#define H 24
void deriche(float in[W][H], float out[W][H], float y1[W][H], float y2[W][H], float a1, float a2, float a3, float a4, float b1, float b2) {
  for (int i = 0; i < W; i++) {
    float ym1 = 0, ym2 = 0, xm1 = 0;
    for (int j = 0; j < H; j++) {
      y1[i][j] = a1 * in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = in[i][j]; ym2 = ym1; ym1 = y1[i][j];
    }
  }
  for (int i = 0; i < W; i++) {
    float yp1 = 0, yp2 = 0, xp1 = 0, xp2 = 0;
    for (int j = H - 1; j >= 0; j--) {
      y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1; xp1 = in[i][j]; yp2 = yp1; yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++) out[i][j] = y1[i][j] + y2[i][j];
}
