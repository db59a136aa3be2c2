/* SPDX-License-Identifier: Apache-2.0 */
/* what is read, added to and written in statements of their own */
#include <stdint.h>

void histogram(const uint8_t in[256], uint32_t counts[256])
{
    unsigned i = 0;
    while (i < 256)
        counts[i++] = 0;
    i = 0;
    do {
        unsigned value = in[i];
        uint32_t count = counts[value];
        count = count + 1;
        counts[value] = count;
        i = i + 1;
    } while (i < 256);
}

void call(const void *in, void *out) { histogram(in, out); }
