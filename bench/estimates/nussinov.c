// SPDX-License-Identifier: Apache-2.0
// offload: nussinov
#define N 40
#define max(a, b) ((a) > (b) ? (a) : (b))
void nussinov(char seq[N], int t[N][N]) {
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      if (j - 1 >= 0) t[i][j] = max(t[i][j], t[i][j - 1]);
      if (i + 1 < N) t[i][j] = max(t[i][j], t[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < N) {
        if (i < j - 1) t[i][j] = max(t[i][j], t[i + 1][j - 1] + (seq[i] + seq[j] == 3));
        else t[i][j] = max(t[i][j], t[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++) t[i][j] = max(t[i][j], t[i][k] + t[k + 1][j]);
    }
}
