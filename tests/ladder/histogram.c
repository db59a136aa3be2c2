/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

void histogram(const uint8_t *in, int count, uint32_t out[256])
{
    uint32_t seen[256];
    for (int i = 0; i < 256; i++)
        seen[i] = 0;
    for (int i = 0; i < count; i++)
        seen[in[i]]++;
    for (int i = 0; i < 256; i++)
        out[i] = seen[i];
}
