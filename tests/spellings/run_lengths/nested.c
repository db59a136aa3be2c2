/* SPDX-License-Identifier: Apache-2.0 */
/* a loop over runs, another inside of it along a run */
#include <stdint.h>

int run_lengths(const uint8_t *in, uint8_t *values, uint16_t *lengths)
{
    int runs = 0, i = 0;
    while (i < 256) {
        uint8_t value = in[i];
        int start = i;
        while (i < 256 && in[i] == value)
            i++;
        values[runs] = value;
        lengths[runs] = i - start;
        runs++;
    }
    return runs;
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
