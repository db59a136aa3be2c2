/* SPDX-License-Identifier: Apache-2.0 */
/* a number of values that the call tells, size_t */
#include <stddef.h>
#include <stdint.h>

int run_lengths(const uint8_t *in, size_t size, uint8_t *values, uint16_t *lengths)
{
    size_t runs = 0;
    for (size_t i = 0; i < size;) {
        size_t j = i + 1;
        while (j < size && in[j] == in[i])
            ++j;
        values[runs] = in[i];
        lengths[runs++] = j - i;
        i = j;
    }
    return runs;
}

void call(const void *in, void *out)
{
    *(int *)out = run_lengths(in, 256, (uint8_t *)out + 4, (uint16_t *)out + 130);
}
