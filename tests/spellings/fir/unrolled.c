/* SPDX-License-Identifier: Apache-2.0 */
/* unrolled by hand */
#include <stdint.h>

void fir(const int16_t *in, const int16_t *taps, int32_t *out)
{
    for (int i = 0; i < 128; i++)
        out[i] = in[i] * taps[0] + in[i + 1] * taps[1] + in[i + 2] * taps[2] + in[i + 3] * taps[3]
                 + in[i + 4] * taps[4] + in[i + 5] * taps[5] + in[i + 6] * taps[6] + in[i + 7] * taps[7];
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
