/* SPDX-License-Identifier: Apache-2.0 */
/* counts in an array of its own */
#include <stdint.h>

void histogram(const uint8_t *in, uint32_t *counts)
{
    uint32_t local[256] = {0};
    for (int i = 0; i < 256; i++)
        local[in[i]] += 1;
    for (int i = 0; i < 256; i++)
        counts[i] = local[i];
}

void call(const void *in, void *out) { histogram(in, out); }
