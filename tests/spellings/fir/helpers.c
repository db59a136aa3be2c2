/* SPDX-License-Identifier: Apache-2.0 */
/* a function for the sum, a macro for a product */
#include <stdint.h>
#define TERM(k) (x[k] * taps[k])

static int32_t dot(const int16_t *x, const int16_t *taps)
{
    int32_t even = TERM(0) + TERM(2) + TERM(4) + TERM(6);
    int32_t odd = TERM(1) + TERM(3) + TERM(5) + TERM(7);
    return even + odd;
}

void fir(const int16_t *in, const int16_t *taps, int32_t *out)
{
    for (short i = 0; i < 128; i++)
        out[i] = dot(in + i, taps);
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
