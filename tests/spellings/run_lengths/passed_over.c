/* SPDX-License-Identifier: Apache-2.0 */
/* what goes on is passed over, starts are kept */
#include <stdint.h>

int run_lengths(const uint8_t *in, uint8_t *values, uint16_t *lengths)
{
    short runs = 0, start = 0;
    for (short i = 1; i <= 256; i++) {
        if (i < 256 && in[i] == in[start])
            continue;
        values[runs] = in[start];
        lengths[runs] = i - start;
        runs++;
        start = i;
    }
    return runs;
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
