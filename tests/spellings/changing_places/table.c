/* SPDX-License-Identifier: Apache-2.0 */
/* a table of pointers */
#include <stdint.h>

void changing_places(const uint32_t in[256], uint32_t out[256])
{
    uint32_t one[256], other[256];
    uint32_t *places[2] = {one, other};
    for (int i = 0; i < 256; i++)
        one[i] = in[i], other[i] = 7;
    for (int round = 0; round < 8; round++)
        for (int i = 0; i < 256; i++) {
            uint32_t x = places[round & 1][i];
            places[!(round & 1)][(x + 5 * i) & 255] = x + round;
        }
    for (int i = 0; i < 256; i++)
        out[i] = one[i];
}

void call(const void *in, void *out) { changing_places(in, out); }
