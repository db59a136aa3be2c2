// SPDX-License-Identifier: Apache-2.0
// Pointers to both halves.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (int half = 1; half < N; half *= 2)
        for (uint32_t *group = a; group < a + N; group += 2 * half) {
            uint32_t *low = group, *high = group + half;
            for (int left = half; left; left--) {
                uint32_t x = *low, y = *high;
                *low++ = x + y;
                *high++ = x - y;
            }
        }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
