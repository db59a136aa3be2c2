/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move */
#include <stdint.h>

int run_lengths(const uint8_t *in, uint8_t *values, uint16_t *lengths)
{
    const uint8_t *end = in + 256, *first = values;
    while (in != end) {
        const uint8_t *start = in;
        do
            in++;
        while (in != end && *in == *start);
        *values++ = *start;
        *lengths++ = in - start;
    }
    return values - first;
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
