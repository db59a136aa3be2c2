/* SPDX-License-Identifier: Apache-2.0 */
/* taps are copied first, do and while */
#include <stdint.h>

void fir(const int16_t *in, const int16_t *taps, int32_t *out)
{
    int16_t t[8];
    for (int k = 0; k < 8; k++)
        t[k] = taps[k];
    int i = 0;
    do {
        int32_t sum = 0;
        int k = 0;
        do
            sum += in[i + k] * t[k];
        while (++k < 8);
        out[i] = sum;
    } while (++i < 128);
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
