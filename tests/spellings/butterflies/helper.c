// SPDX-License-Identifier: Apache-2.0
// A function for a butterfly, `while` loops.
#include <stdint.h>
#include <string.h>
#define N 256

static void butterfly(uint32_t *p, uint32_t *q)
{
    uint32_t x = *p;
    *p += *q;
    *q = x - *q;
}

void butterflies(uint32_t a[N])
{
    unsigned half = 1;
    while (half != N) {
        unsigned base = 0;
        while (base != N) {
            unsigned k = 0;
            do
                butterfly(&a[base + k], &a[base + half + k]);
            while (++k < half);
            base += half + half;
        }
        half += half;
    }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
