// SPDX-License-Identifier: Apache-2.0
// offload: recursive_filter
// iterations: 24576
/* a smoothing filter along rows and columns, forth and back, after Deriche */
#include "numbers.h"

enum { W = 64, H = 64 };

void recursive_filter(double in[W][H], double out[W][H], double one[W][H], double other[W][H])
{
    const double a = 0.33, b = 0.21, c = 0.27, d = -0.12, g = 1.2, h = -0.36;
    for (int i = 0; i < W; i++) {
        double y1 = 0, y2 = 0, x1 = 0;
        for (int j = 0; j < H; j++) {
            one[i][j] = a * in[i][j] + b * x1 + g * y1 + h * y2;
            x1 = in[i][j];
            y2 = y1;
            y1 = one[i][j];
        }
    }
    for (int i = 0; i < W; i++) {
        double y1 = 0, y2 = 0, x1 = 0, x2 = 0;
        for (int j = H - 1; j >= 0; j--) {
            other[i][j] = c * x1 + d * x2 + g * y1 + h * y2;
            x2 = x1;
            x1 = in[i][j];
            y2 = y1;
            y1 = other[i][j];
        }
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < H; j++)
            out[i][j] = one[i][j] + other[i][j];
    for (int j = 0; j < H; j++) {
        double y1 = 0, y2 = 0, x1 = 0;
        for (int i = 0; i < W; i++) {
            one[i][j] = a * out[i][j] + b * x1 + g * y1 + h * y2;
            x1 = out[i][j];
            y2 = y1;
            y1 = one[i][j];
        }
    }
    for (int j = 0; j < H; j++) {
        double y1 = 0, y2 = 0, x1 = 0, x2 = 0;
        for (int i = W - 1; i >= 0; i--) {
            other[i][j] = c * x1 + d * x2 + g * y1 + h * y2;
            x2 = x1;
            x1 = out[i][j];
            y2 = y1;
            y1 = other[i][j];
        }
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < H; j++)
            out[i][j] = one[i][j] + other[i][j];
}

int main(void)
{
    static double in[W][H], out[W][H], one[W][H], other[W][H];
    fill(in, sizeof in);
    recursive_filter(in, out, one, other);
    return told(out, sizeof out);
}
