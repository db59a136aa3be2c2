/* SPDX-License-Identifier: Apache-2.0 */
/* counts in a struct */
#include <stdint.h>
struct histogram {
    uint32_t counts[256];
};

void histogram(const uint8_t *in, struct histogram *h)
{
    *h = (struct histogram){{0}};
    for (int i = 0; i < 256; i++)
        h->counts[in[i]]++;
}

void call(const void *in, void *out) { histogram(in, out); }
