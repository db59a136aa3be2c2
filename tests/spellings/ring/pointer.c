/* SPDX-License-Identifier: Apache-2.0 */
/* a pointer that comes round */
#include <stdint.h>

void ring(const int32_t in[128], int32_t out[128])
{
    int32_t last[10] = {0}, *at = last;
    int32_t sum = 0;
    for (int i = 0; i < 128; i++) {
        sum += in[i] - *at;
        *at = in[i];
        if (++at == last + 10)
            at = last;
        out[i] = sum;
    }
}

void call(const void *in, void *out)
{
    ring(in, out);
}
