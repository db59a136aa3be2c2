/* SPDX-License-Identifier: Apache-2.0 */
/* two halves of one array */
#include <stdint.h>

void changing_places(const uint32_t in[256], uint32_t out[256])
{
    uint32_t both[512];
    unsigned begin = 0;
    for (int i = 0; i < 256; i++)
        both[i] = in[i], both[256 + i] = 7;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 256; i++) {
            uint32_t x = both[begin + i];
            both[(256 - begin) + ((x + 5 * i) & 255)] = x + round;
        }
        begin = 256 - begin;
    }
    for (int i = 0; i < 256; i++)
        out[i] = both[begin + i];
}

void call(const void *in, void *out) { changing_places(in, out); }
