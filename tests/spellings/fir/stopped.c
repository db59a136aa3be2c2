/* SPDX-License-Identifier: Apache-2.0 */
/* a loop for ever that is left */
#include <stdint.h>

void fir(const int16_t *in, const int16_t *taps, int32_t *out)
{
    unsigned i = 0;
    for (;;) {
        if (i == 128)
            break;
        int32_t sum = 0;
        for (unsigned k = 0;; k++) {
            if (k > 7)
                break;
            sum += in[i + k] * taps[k];
        }
        out[i++] = sum;
    }
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
