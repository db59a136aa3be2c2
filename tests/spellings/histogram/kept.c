/* SPDX-License-Identifier: Apache-2.0 */
/* a run of equal bytes is counted in a variable */
#include <stdint.h>

void histogram(const uint8_t in[256], uint32_t counts[256])
{
    for (int i = 0; i < 256; i++)
        counts[i] = 0;
    uint8_t last = in[0];
    uint32_t count = 0;
    for (int i = 0; i < 256; i++) {
        if (in[i] != last) {
            counts[last] = count;
            last = in[i];
            count = counts[last];
        }
        count++;
    }
    counts[last] = count;
}

void call(const void *in, void *out) { histogram(in, out); }
