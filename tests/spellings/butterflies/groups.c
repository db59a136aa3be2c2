// SPDX-License-Identifier: Apache-2.0
// Groups of butterflies, whose halves double.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (int half = 1; half < N; half *= 2)
        for (int base = 0; base < N; base += 2 * half)
            for (int k = 0; k < half; k++) {
                uint32_t x = a[base + k], y = a[base + k + half];
                a[base + k] = x + y;
                a[base + k + half] = x - y;
            }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
