/* SPDX-License-Identifier: Apache-2.0 */
/* copied, then summed in place */
#include <stdint.h>

void prefix_sum(int32_t *out)
{
    for (int i = 1; i < 256; i++)
        out[i] += out[i - 1];
}

#include <string.h>

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    prefix_sum(out);
}
