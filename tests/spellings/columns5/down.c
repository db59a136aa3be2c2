/* SPDX-License-Identifier: Apache-2.0 */
/* columns down from the last, counting down */
#include <stdint.h>

void columns5(const int32_t in[16][24], int32_t out[16][24])
{
    for (int y = 13; y >= 2; --y)
        for (int x = 23; x >= 0; --x)
            out[y][x] = in[y - 2][x] + 4 * in[y - 1][x] + 6 * in[y][x] + 4 * in[y + 1][x] + in[y + 2][x];
}

void call(const void *in, void *out) { columns5(in, out); }
