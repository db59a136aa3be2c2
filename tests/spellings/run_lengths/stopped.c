/* SPDX-License-Identifier: Apache-2.0 */
/* loops for ever that are left */
#include <stdint.h>

int run_lengths(const uint8_t *in, uint8_t *values, uint16_t *lengths)
{
    unsigned i = 0;
    for (int runs = 0;; runs++) {
        if (i >= 256)
            return runs;
        unsigned length = 1;
        for (;;) {
            if (i + length >= 256)
                break;
            if (in[i + length] != in[i])
                break;
            length++;
        }
        values[runs] = in[i];
        lengths[runs] = length;
        i += length;
    }
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
