/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

void fir(const int16_t *in, const int16_t taps[16], int32_t *out, int count)
{
    for (int i = 0; i < count; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 16; k++)
            sum += in[i + k] * taps[k];
        out[i] = sum;
    }
}
