// SPDX-License-Identifier: Apache-2.0
// One loop a round, a zero put into its number.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (int half = 1; half < N; half *= 2)
        for (int i = 0; i < N / 2; i++) {
            int k = i & (half - 1), p = (i - k) * 2 + k;
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
