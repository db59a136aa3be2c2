// SPDX-License-Identifier: Apache-2.0
// offload: box_blur
// observed: in
// Means of squares around each pixel, smaller at the rim; against a table of sums.
#include <stdint.h>
#include <stdio.h>

#define W 24
#define H 16

void box_blur(const uint8_t *in, uint8_t *out, unsigned width, unsigned height, unsigned radius)
{
    for (unsigned y = 0; y < height; y++) {
        unsigned top = y < radius ? 0 : y - radius;
        unsigned bottom = y + radius >= height ? height - 1 : y + radius;
        for (unsigned x = 0; x < width; x++) {
            unsigned left = x < radius ? 0 : x - radius;
            unsigned right = x + radius >= width ? width - 1 : x + radius;
            unsigned sum = 0;
            for (unsigned j = top; j <= bottom; j++)
                for (unsigned i = left; i <= right; i++)
                    sum += in[j * width + i];
            unsigned count = (bottom - top + 1) * (right - left + 1);
            out[y * width + x] = (sum + count / 2) / count;
        }
    }
}

static unsigned table[H + 1][W + 1];

static unsigned blurred(int x, int y, int radius)
{
    int left = x > radius ? x - radius : 0, right = x + radius < W - 1 ? x + radius : W - 1;
    int top = y > radius ? y - radius : 0, bottom = y + radius < H - 1 ? y + radius : H - 1;
    unsigned count = (right - left + 1) * (bottom - top + 1);
    unsigned sum = table[bottom + 1][right + 1] - table[bottom + 1][left] - table[top][right + 1] + table[top][left];
    return (sum + count / 2) / count;
}

int main(void)
{
    static uint8_t in[W * H], out[W * H];
    uint32_t seed = 3, sum = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            seed = seed * 1664525u + 1013904223u;
            in[y * W + x] = seed >> 24;
            table[y + 1][x + 1] = in[y * W + x] + table[y][x + 1] + table[y + 1][x] - table[y][x];
        }
    for (int radius = 1; radius <= 2; radius++) {
        box_blur(in, out, W, H, radius);
        for (int i = 0; i < W * H; i++) {
            if (out[i] != blurred(i % W, i / W, radius)) {
                printf("wrong at %d, %d, radius %d\n", i % W, i / W, radius);
                return 1;
            }
            sum = sum * 31 + out[i];
        }
    }
    printf("blur %08x\n", (unsigned)sum);
    return 0;
}
