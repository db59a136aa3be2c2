/* SPDX-License-Identifier: Apache-2.0 */
/* a flag, and pointers that move */
#include <stdint.h>
#include <stdbool.h>

void changing_places(const uint32_t *in, uint32_t *out)
{
    uint32_t one[256], other[256];
    bool is_odd = false;
    for (int i = 0; i < 256; i++)
        one[i] = in[i], other[i] = 7;
    for (int round = 0; round < 8; round++, is_odd = !is_odd) {
        const uint32_t *from = is_odd ? other : one, *end = from + 256;
        uint32_t *to = is_odd ? one : other, step = 0;
        for (; from < end; from++, step += 5)
            to[(*from + step) & 255] = *from + round;
    }
    for (int i = 0; i < 256; i++)
        out[i] = one[i];
}

void call(const void *in, void *out) { changing_places(in, out); }
