/* SPDX-License-Identifier: Apache-2.0 */
/* the first is told by a test */
#include <stdint.h>

void prefix_sum(const int32_t in[256], int32_t out[256])
{
    for (unsigned i = 0; i < 256; i++)
        out[i] = i ? out[i - 1] + in[i] : in[i];
}

void call(const void *in, void *out) { prefix_sum(in, out); }
