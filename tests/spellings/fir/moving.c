/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move, a count of any number */
#include <stdint.h>

void fir(const int16_t *in, const int16_t *taps, int32_t *out, int count)
{
    while (count-- > 0) {
        const int16_t *x = in++, *t = taps;
        int32_t sum = 0;
        while (t != taps + 8)
            sum += *x++ * *t++;
        *out++ = sum;
    }
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out, 128); }
