// SPDX-License-Identifier: Apache-2.0
// Places from one bound to the next.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (int half = 1; half < N; half *= 2)
        for (int base = 0; base < N; base += 2 * half)
            for (int p = base; p < base + half; p++) {
                int q = p + half;
                uint32_t x = a[p], y = a[q];
                a[q] = x - y;
                a[p] = x + y;
            }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
