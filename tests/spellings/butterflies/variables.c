// SPDX-License-Identifier: Apache-2.0
// All numbers in variables that are kept up.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    unsigned half = 1, groups = N / 2;
    for (int round = 0; round < 8; round++) {
        unsigned p = 0, q = half;
        for (unsigned group = 0; group < groups; group++) {
            for (unsigned k = 0; k < half; k++) {
                uint32_t x = a[p], y = a[q];
                a[p++] = x + y;
                a[q++] = x - y;
            }
            p += half;
            q += half;
        }
        half *= 2;
        groups /= 2;
    }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
