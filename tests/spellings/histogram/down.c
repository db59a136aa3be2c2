/* SPDX-License-Identifier: Apache-2.0 */
/* counting down, short counters */
#include <stdint.h>

void histogram(const uint8_t in[256], uint32_t counts[256])
{
    for (short i = 255; i >= 0; i--)
        counts[i] = 0;
    for (short i = 255; i >= 0; i--)
        counts[in[i]]++;
}

void call(const void *in, void *out) { histogram(in, out); }
