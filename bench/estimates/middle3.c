// SPDX-License-Identifier: Apache-2.0
// offload: middle3
/* The middle one of each nine pixels, by sorting three rows of three. */
#include <stdint.h>
#define W 64
#define H 48
#define SORT(a, b) { uint8_t low = a < b ? a : b, high = a < b ? b : a; a = low; b = high; }
#define SORT3(a, b, c) SORT(a, b) SORT(b, c) SORT(a, b)

void middle3(const uint8_t in[H][W], uint8_t out[H][W])
{
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            uint8_t a = in[y - 1][x - 1], b = in[y - 1][x], c = in[y - 1][x + 1];
            uint8_t d = in[y][x - 1], e = in[y][x], f = in[y][x + 1];
            uint8_t g = in[y + 1][x - 1], h = in[y + 1][x], i = in[y + 1][x + 1];
            SORT3(a, b, c)
            SORT3(d, e, f)
            SORT3(g, h, i)
            SORT3(a, d, g)
            SORT3(b, e, h)
            SORT3(c, f, i)
            SORT3(c, e, g)
            out[y][x] = e;
        }
}
