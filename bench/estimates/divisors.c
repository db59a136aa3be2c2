// SPDX-License-Identifier: Apache-2.0
// offload: divisors
/* The greatest common divisor of pairs, and what is left of the first one by the second. */
#include <stdint.h>

void divisors(const uint32_t *a, const uint32_t *b, uint32_t *common, uint32_t *least, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t x = a[i], y = b[i];
        while (y) {
            uint32_t rest = x % y;
            x = y;
            y = rest;
        }
        common[i] = x;
        least[i] = x ? a[i] / x * b[i] : 0;
    }
}
