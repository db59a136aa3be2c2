/* SPDX-License-Identifier: Apache-2.0 */
/* rows of a power of two, in one line */
#include <stdint.h>

void box(const uint8_t in[12][64], uint8_t out[12][64])
{
    for (int y = 1; y < 11; y++) for (int x = 1; x < 63; x++)
        out[y][x] = (in[y - 1][x - 1] + in[y - 1][x] + in[y - 1][x + 1] + in[y][x - 1] + in[y][x]
                     + in[y][x + 1] + in[y + 1][x - 1] + in[y + 1][x] + in[y + 1][x + 1]) / 9;
}
