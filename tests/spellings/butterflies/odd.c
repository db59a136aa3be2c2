// SPDX-License-Identifier: Apache-2.0
// The number of the second one gets its bit, and the first one has all others.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (int span = 1; span < N; span <<= 1)
        for (int odd = span; odd < N; odd++) {
            odd |= span;
            int even = odd ^ span;
            uint32_t sum = a[even] + a[odd];
            a[odd] = a[even] - a[odd];
            a[even] = sum;
        }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
