/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

void wide_multiply(const uint64_t *a, const uint64_t *b, uint64_t *high, int64_t *low, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++) {
        unsigned __int128 product = (unsigned __int128)a[i] * b[i];

        high[i] = (uint64_t)(product >> 64);
        low[i] = (int64_t)product ^ (int64_t)a[i];
    }
}
