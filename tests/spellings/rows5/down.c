/* SPDX-License-Identifier: Apache-2.0 */
/* counting down with short counters, do and while */
#include <stdint.h>

void rows5(const int32_t in[8][48], int32_t out[8][48])
{
    short y = 8;
    while (y-- > 0) {
        short x = 45;
        do
            out[y][x] = in[y][x - 2] + 4 * in[y][x - 1] + 6 * in[y][x] + 4 * in[y][x + 1] + in[y][x + 2];
        while (--x >= 2);
    }
}

void call(const void *in, void *out) { rows5(in, out); }
