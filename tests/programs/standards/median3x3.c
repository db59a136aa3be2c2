// SPDX-License-Identifier: Apache-2.0
// offload: median3x3
// The median of each pixel and its eight neighbours, by a sorting network: single dots go, steps stay.
#include <stdint.h>
#include <stdio.h>

#define WIDTH 40
#define HEIGHT 30

static void order(uint8_t w[9], int a, int b)
{
    uint8_t low = w[a] < w[b] ? w[a] : w[b], high = w[a] < w[b] ? w[b] : w[a];
    w[a] = low;
    w[b] = high;
}

void median3x3(const uint8_t *in, uint8_t *out, int width, int height)
{
    static const uint8_t network[19][2] = {
        {1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3},
        {5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2},
    };
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            uint8_t w[9];
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++)
                    w[3 * j + i] = in[(y + j - 1) * width + x + i - 1];
            for (int i = 0; i < 19; i++)
                order(w, network[i][0], network[i][1]);
            out[y * width + x] = w[4];
        }
}

int main(void)
{
    static uint8_t in[WIDTH * HEIGHT], out[WIDTH * HEIGHT];
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int dot = x % 4 == 2 && y % 4 == 2;
            in[y * WIDTH + x] = (uint8_t)(dot ? (x & 4 ? 255 : 0) : x < 20 ? 50 : 150);
        }
    median3x3(in, out, WIDTH, HEIGHT);
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++)
            wrong += out[y * WIDTH + x] != (x < 20 ? 50 : 150);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
