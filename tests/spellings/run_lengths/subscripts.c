/* SPDX-License-Identifier: Apache-2.0 */
/* one loop, a run ends where a value differs */
#include <stdint.h>

int run_lengths(const uint8_t in[256], uint8_t values[256], uint16_t lengths[256])
{
    int runs = 0, length = 1;
    for (int i = 1; i < 256; i++) {
        if (in[i] == in[i - 1])
            length++;
        else {
            values[runs] = in[i - 1];
            lengths[runs] = length;
            runs++;
            length = 1;
        }
    }
    values[runs] = in[255];
    lengths[runs] = length;
    return runs + 1;
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
