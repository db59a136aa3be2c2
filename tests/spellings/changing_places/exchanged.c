/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that are exchanged */
#include <stdint.h>

void changing_places(const uint32_t in[256], uint32_t out[256])
{
    uint32_t one[256], other[256];
    uint32_t *from = one, *to = other;
    for (int i = 0; i < 256; i++)
        from[i] = in[i], to[i] = 7;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 256; i++)
            to[(from[i] + 5 * i) & 255] = from[i] + round;
        uint32_t *t = from;
        from = to;
        to = t;
    }
    for (int i = 0; i < 256; i++)
        out[i] = from[i];
}

void call(const void *in, void *out) { changing_places(in, out); }
