// SPDX-License-Identifier: Apache-2.0
// offload: square_root
/* The whole part of square roots, bit by bit, and a hypotenuse from it. */
#include <stdint.h>

static uint32_t root(uint64_t a)
{
    uint64_t found = 0, bit = 1ull << 62;
    while (bit > a)
        bit >>= 2;
    for (; bit; bit >>= 2) {
        if (a >= found + bit) {
            a -= found + bit;
            found = (found >> 1) + bit;
        } else
            found >>= 1;
    }
    return found;
}

void square_root(const int32_t *x, const int32_t *y, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = root((int64_t)x[i] * x[i] + (int64_t)y[i] * y[i]);
}
