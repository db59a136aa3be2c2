// SPDX-License-Identifier: Apache-2.0
// Rounds have numbers, halves are shifts.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (unsigned round = 0; round < 8; round++)
        for (unsigned group = 0; group < (N / 2) >> round; group++)
            for (unsigned k = 0; k < 1u << round; k++) {
                unsigned p = (group << (round + 1)) + k, q = p + (1u << round);
                uint32_t x = a[p], y = a[q];
                a[p] = x + y;
                a[q] = x - y;
            }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
