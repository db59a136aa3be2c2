/* SPDX-License-Identifier: Apache-2.0 */
/* the run so far is written each time */
#include <stdint.h>

int run_lengths(const uint8_t in[256], uint8_t values[256], uint16_t lengths[256])
{
    int run = -1;
    unsigned length = 0, last = 256;
    for (int i = 0; i < 256; i++) {
        if (in[i] != last)
            run++, length = 0;
        last = in[i];
        values[run] = last;
        lengths[run] = ++length;
    }
    return run + 1;
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
