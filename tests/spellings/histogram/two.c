/* SPDX-License-Identifier: Apache-2.0 */
/* two bytes an iteration */
#include <stdint.h>

void histogram(const uint8_t in[256], uint32_t counts[256])
{
    for (int i = 0; i < 256; i++)
        counts[i] = 0;
    for (int i = 0; i < 256; i += 2) {
        counts[in[i]]++;
        counts[in[i + 1]]++;
    }
}

void call(const void *in, void *out) { histogram(in, out); }
