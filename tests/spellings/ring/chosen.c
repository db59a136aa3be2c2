/* SPDX-License-Identifier: Apache-2.0 */
/* the next place is chosen */
#include <stdint.h>

void ring(const int32_t in[128], int32_t out[128])
{
    int32_t last[10] = {0}; int at = 0;
    int32_t sum = 0;
    for (int i = 0; i < 128; i++) {
        sum += in[i] - last[at];
        last[at] = in[i];
        at = at == 9 ? 0 : at + 1;
        out[i] = sum;
    }
}

void call(const void *in, void *out)
{
    ring(in, out);
}
