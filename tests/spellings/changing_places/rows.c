/* SPDX-License-Identifier: Apache-2.0 */
/* two rows of one array */
#include <stdint.h>

void changing_places(const uint32_t in[256], uint32_t out[256])
{
    uint32_t rows[2][256];
    for (int i = 0; i < 256; i++)
        rows[0][i] = in[i], rows[1][i] = 7;
    for (unsigned round = 0; round < 8; round++)
        for (int i = 0; i < 256; i++) {
            uint32_t x = rows[round & 1][i];
            rows[~round & 1][(x + 5 * i) & 255] = x + round;
        }
    for (int i = 0; i < 256; i++)
        out[i] = rows[0][i];
}

void call(const void *in, void *out) { changing_places(in, out); }
