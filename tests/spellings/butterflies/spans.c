// SPDX-License-Identifier: Apache-2.0
// What has one bit of its number set, and what has not.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (unsigned span = 1; span < N; span <<= 1)
        for (unsigned p = 0; p < N; p++)
            if (!(p & span)) {
                uint32_t x = a[p], y = a[p | span];
                a[p] = x + y;
                a[p | span] = x - y;
            }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
