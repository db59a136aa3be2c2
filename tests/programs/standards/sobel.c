// SPDX-License-Identifier: Apache-2.0
// offload: sobel
// Edges of an image, a plain nest over `y * width + x`: a square whose edges are known.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 64
#define HEIGHT 48

void sobel(const uint8_t *in, uint8_t *out, int width, int height)
{
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            int i = y * width + x;
            int gx = in[i - width + 1] + 2 * in[i + 1] + in[i + width + 1] -
                     in[i - width - 1] - 2 * in[i - 1] - in[i + width - 1];
            int gy = in[i + width - 1] + 2 * in[i + width] + in[i + width + 1] -
                     in[i - width - 1] - 2 * in[i - width] - in[i - width + 1];
            int sum = abs(gx) + abs(gy);
            out[i] = (uint8_t)(sum > 255 ? 255 : sum);
        }
    }
}

/* 40 inside of the columns 10 to 29 and the rows 8 to 19, 10 outside. */
static int pixel(int x, int y)
{
    return x >= 10 && x < 30 && y >= 8 && y < 20 ? 40 : 10;
}

int main(void)
{
    static uint8_t in[WIDTH * HEIGHT], out[WIDTH * HEIGHT];
    static const struct { int x, y, value; } known[] = {
        {10, 14, 120}, {9, 14, 120}, {30, 14, 120}, {20, 8, 120}, {20, 7, 120}, {20, 20, 120},
        {10, 8, 180}, {9, 7, 60}, {20, 14, 0}, {2, 2, 0}, {0, 0, 0}, {63, 20, 0},
    };
    int wrong = 0, edges = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        in[i] = (uint8_t)pixel(i % WIDTH, i / WIDTH);
    sobel(in, out, WIDTH, HEIGHT);
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (out[known[i].y * WIDTH + known[i].x] != known[i].value) {
            printf("%d, %d: %d\n", known[i].x, known[i].y, out[known[i].y * WIDTH + known[i].x]);
            wrong++;
        }
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        edges += out[i] != 0;
    wrong += edges != 22 * 14 - 18 * 10;
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
