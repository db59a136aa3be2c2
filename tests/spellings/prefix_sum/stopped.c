/* SPDX-License-Identifier: Apache-2.0 */
/* a loop for ever that is left */
#include <stdint.h>

void prefix_sum(const int32_t *in, int32_t *out)
{
    uint32_t sum = 0;
    for (unsigned char i = 0;; i++) {
        sum += (uint32_t)in[i];
        out[i] = (int32_t)sum;
        if (i == 255)
            return;
    }
}

void call(const void *in, void *out) { prefix_sum(in, out); }
