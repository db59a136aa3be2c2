/* SPDX-License-Identifier: Apache-2.0 */
/* the last five are kept by hand */
#include <stdint.h>

void rows5(const int32_t in[8][48], int32_t out[8][48])
{
    for (int y = 0; y < 8; y++) {
        int a = in[y][0], b = in[y][1], c = in[y][2], d = in[y][3];
        for (int x = 2; x < 46; x++) {
            int e = in[y][x + 2];
            out[y][x] = a + 4 * b + 6 * c + 4 * d + e;
            a = b, b = c, c = d, d = e;
        }
    }
}

void call(const void *in, void *out) { rows5(in, out); }
