/* SPDX-License-Identifier: Apache-2.0 */
/* an inner loop over taps */
#include <stdint.h>

void fir(const int16_t in[135], const int16_t taps[8], int32_t out[128])
{
    for (int i = 0; i < 128; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 8; k++)
            sum += in[i + k] * taps[k];
        out[i] = sum;
    }
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
