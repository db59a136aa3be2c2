/* SPDX-License-Identifier: Apache-2.0 */
/* counting down, short counters */
#include <stdint.h>
#include <stdlib.h>

void sobel(const uint8_t in[12][40], uint8_t out[12][40])
{
    for (short y = 10; y > 0; y--)
        for (short x = 38; x > 0; x--) {
            short h = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1]
                      - 2 * in[y][x - 1] - in[y + 1][x - 1];
            short v = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1]
                      - 2 * in[y - 1][x] - in[y - 1][x + 1];
            short g = abs(h) + abs(v);
            out[y][x] = g > 255 ? 255 : g;
        }
}

void call(const void *in, void *out) { sobel(in, out); }
