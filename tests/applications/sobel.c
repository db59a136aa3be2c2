// SPDX-License-Identifier: Apache-2.0
// offload: sobel
// Edges of an image, against a second implementation with the kernel's two matrices written out.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 45
#define HEIGHT 31

void sobel(const uint8_t *src, uint8_t *dst, int width, int height)
{
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            const uint8_t *p = src + y * width + x;
            int gx = p[-width + 1] + 2 * p[1] + p[width + 1] - p[-width - 1] - 2 * p[-1] - p[width - 1];
            int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
            int magnitude = abs(gx) + abs(gy);
            dst[y * width + x] = magnitude > 255 ? 255 : magnitude;
        }
    }
}

static int expected(const uint8_t *src, int x, int y)
{
    static const int matrix[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int sum[2] = {0, 0};
    if (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1)
        return 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int pixel = src[(y + i - 1) * WIDTH + x + j - 1];
            sum[0] += matrix[i][j] * pixel;
            sum[1] += matrix[j][i] * pixel;
        }
    int total = (sum[0] < 0 ? -sum[0] : sum[0]) + (sum[1] < 0 ? -sum[1] : sum[1]);
    return total < 255 ? total : 255;
}

int main(void)
{
    static uint8_t src[WIDTH * HEIGHT], dst[WIDTH * HEIGHT];
    uint32_t seed = 1, sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        seed = seed * 1103515245 + 12345;
        src[i] = (uint8_t)(i % WIDTH * 3 + (seed >> 26));
    }
    sobel(src, dst, WIDTH, HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            if (dst[y * WIDTH + x] != expected(src, x, y)) {
                printf("wrong at %d, %d\n", x, y);
                return 1;
            }
            sum = sum * 31 + dst[y * WIDTH + x];
        }
    printf("sobel %08x\n", (unsigned)sum);
    return 0;
}
