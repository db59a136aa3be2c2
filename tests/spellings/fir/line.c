/* SPDX-License-Identifier: Apache-2.0 */
/* samples move through an array of eight */
#include <stdint.h>

void fir(const int16_t *in, const int16_t *taps, int32_t *out)
{
    int16_t line[8] = {0};
    for (int i = 0; i < 135; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 7; k++)
            line[k] = line[k + 1];
        line[7] = in[i];
        for (int k = 0; k < 8; k++)
            sum += line[k] * taps[k];
        if (i >= 7)
            out[i - 7] = sum;
    }
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
