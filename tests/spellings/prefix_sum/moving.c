/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move, a number that the call tells */
#include <stddef.h>
#include <stdint.h>

void prefix_sum(const int32_t *in, int32_t *out, size_t size)
{
    int32_t sum = 0;
    while (size--)
        *out++ = sum += *in++;
}

void call(const void *in, void *out) { prefix_sum(in, out, 256); }
