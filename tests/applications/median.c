// SPDX-License-Identifier: Apache-2.0
// offload: median3x3
// Noise taken out of an image; the rim is copied. Against sorting.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void order(uint8_t *a, uint8_t *b)
{
    if (*a > *b) {
        uint8_t t = *a;
        *a = *b;
        *b = t;
    }
}

void median3x3(const uint8_t *src, uint8_t *dst, int width, int height)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
                dst[y * width + x] = src[y * width + x];
                continue;
            }
            uint8_t w[9];
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++)
                    w[3 * j + i] = src[(y + j - 1) * width + (x + i - 1)];
            for (int end = 8; end >= 4; end--)
                for (int i = 0; i < end; i++)
                    order(&w[i], &w[i + 1]);
            dst[y * width + x] = w[4];
        }
    }
}

static int compare(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

int main(void)
{
    enum { W = 24, H = 19 };
    uint8_t *src = malloc(W * H), *dst = malloc(W * H);
    uint32_t seed = 7, sum = 0;
    int wrong = 0;
    for (int i = 0; i < W * H; i++) {
        seed = seed * 1664525u + 1013904223u;
        src[i] = seed >> 28 ? (uint8_t)(i / W * 9) : (uint8_t)(seed >> 16);
    }
    median3x3(src, dst, W, H);
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            uint8_t w[9];
            for (int j = 0; j < 3; j++)
                memcpy(w + 3 * j, src + (y + j - 1) * W + x - 1, 3);
            qsort(w, 9, 1, compare);
            wrong += w[4] != dst[y * W + x];
        }
    for (int i = 0; i < W * H; i++)
        sum = sum * 31 + dst[i];
    wrong += memcmp(src, dst, W) != 0 || memcmp(src + W * (H - 1), dst + W * (H - 1), W) != 0;
    printf("median %08x, %d wrong\n", (unsigned)sum, wrong);
    free(src);
    free(dst);
    return wrong != 0;
}
