/* SPDX-License-Identifier: Apache-2.0 */
/* both loops count down */
#include <stdint.h>

void fir(const int16_t *in, const int16_t *taps, int32_t *out)
{
    for (int i = 127; i >= 0; i--) {
        int32_t sum = 0;
        for (int k = 7; k >= 0; k--)
            sum += in[i + k] * taps[k];
        out[i] = sum;
    }
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
