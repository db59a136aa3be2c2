/* SPDX-License-Identifier: Apache-2.0 */
/* the sum is read from where it was written */
#include <stdint.h>

void prefix_sum(const int32_t in[256], int32_t out[256])
{
    out[0] = in[0];
    for (int i = 1; i < 256; i++)
        out[i] = out[i - 1] + in[i];
}

void call(const void *in, void *out) { prefix_sum(in, out); }
