/* SPDX-License-Identifier: Apache-2.0 */
/* two dimensions of a fixed width, every pixel spelled out */
#include <stdint.h>
#include <stdlib.h>

void sobel(const uint8_t in[12][40], uint8_t out[12][40])
{
    for (int y = 1; y < 11; y++)
        for (int x = 1; x < 39; x++) {
            int h = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1]
                    - 2 * in[y][x - 1] - in[y + 1][x - 1];
            int v = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1]
                    - 2 * in[y - 1][x] - in[y - 1][x + 1];
            int g = abs(h) + abs(v);
            out[y][x] = g > 255 ? 255 : g;
        }
}

void call(const void *in, void *out) { sobel(in, out); }
