// SPDX-License-Identifier: Apache-2.0
// offload: conv3x3
/* 3x3 convolution of a w by h int image (index y * w + x), edges replicated, arithmetic shift of the sum. */
#include <stdint.h>
#include <stdio.h>

static int clamp(int v, int hi)
{
    return v < 0 ? 0 : v > hi ? hi : v;
}

void conv3x3(const int *src, int *dst, int w, int h, const int kernel[9], int shift)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int ky = -1; ky <= 1; ky++) {
                int row = clamp(y + ky, h - 1) * w;
                for (int kx = -1; kx <= 1; kx++)
                    sum += src[row + clamp(x + kx, w - 1)] * kernel[(ky + 1) * 3 + kx + 1];
            }
            dst[y * w + x] = sum >> shift;
        }
}

/* the same as two one-dimensional passes, over a padded copy */
static void separable(const int *src, int *dst, int w, int h, const int *v, const int *u, int shift)
{
    static int pad[66][66], mid[66][64];
    for (int y = 0; y < h + 2; y++)
        for (int x = 0; x < w + 2; x++)
            pad[y][x] = src[clamp(y - 1, h - 1) * w + clamp(x - 1, w - 1)];
    for (int y = 0; y < h + 2; y++)
        for (int x = 0; x < w; x++)
            mid[y][x] = u[0] * pad[y][x] + u[1] * pad[y][x + 1] + u[2] * pad[y][x + 2];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            dst[y * w + x] = (v[0] * mid[y][x] + v[1] * mid[y + 1][x] + v[2] * mid[y + 2][x]) >> shift;
}

int main(void)
{
    enum { W = 64, H = 64 };
    static int src[W * H], got[W * H], want[W * H];
    /* column and row factors: binomial blur, a gradient without symmetry */
    static const int col[2][3] = { { 1, 2, 1 }, { 3, 2, -1 } };
    static const int row[2][3] = { { 1, 2, 1 }, { -5, 1, 4 } };
    static const int shift[2] = { 4, 0 }, width[2] = { W, 20 }, height[2] = { H, 16 };
    uint32_t seed = 31;

    for (int i = 0; i < W * H; i++) {
        seed = seed * 1664525u + 1013904223u;
        src[i] = (int)(seed >> 24) + ((i / W - 32) * (i % W - 20) & 255) - 128;
    }
    for (int t = 0; t < 2; t++) {
        int k[9];
        for (int i = 0; i < 9; i++)
            k[i] = col[t][i / 3] * row[t][i % 3];
        conv3x3(src, got, width[t], height[t], k, shift[t]);
        separable(src, want, width[t], height[t], col[t], row[t], shift[t]);
        for (int i = 0; i < width[t] * height[t]; i++)
            if (got[i] != want[i]) {
                printf("filter %d, pixel %d: got %d want %d\n", t, i, got[i], want[i]);
                return 1;
            }
    }
    printf("ok\n");
    return 0;
}
