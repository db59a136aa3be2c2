/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

/* In place; the result is the total. */
int64_t prefix_sum(int64_t *values, uint32_t n)
{
    int64_t total = 0;
    uint32_t i;

    for (i = 0; i < n; i++) {
        total += values[i];
        values[i] = total;
    }
    return total;
}
