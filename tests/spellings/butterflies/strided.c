// SPDX-License-Identifier: Apache-2.0
// The same place in each group, one group after the other.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (unsigned half = 1; half < N; half <<= 1)
        for (unsigned k = 0; k < half; k++)
            for (unsigned p = k; p < N; p += half << 1) {
                uint32_t x = a[p], y = a[p + half];
                a[p] = x + y;
                a[p + half] = x - y;
            }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
