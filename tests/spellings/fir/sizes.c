/* SPDX-License-Identifier: Apache-2.0 */
/* size_t, and a count that the call tells */
#include <stddef.h>
#include <stdint.h>

void fir(const int16_t *in, const int16_t *taps, int32_t *out, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        int32_t sum = 0;
        for (size_t k = 0; k < 8; ++k)
            sum += (int32_t)in[i + k] * (int32_t)taps[k];
        out[i] = sum;
    }
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out, 128); }
