/* SPDX-License-Identifier: Apache-2.0 */
/* the last value in a variable */
#include <stdint.h>

int run_lengths(const uint8_t *in, uint8_t *values, uint16_t *lengths)
{
    uint8_t last = in[0];
    uint16_t length = 0;
    int runs = 0;
    for (int i = 0; i < 256; i++) {
        uint8_t value = in[i];
        if (value != last) {
            values[runs] = last;
            lengths[runs++] = length;
            length = 0;
        }
        length++;
        last = value;
    }
    values[runs] = last;
    lengths[runs++] = length;
    return runs;
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
