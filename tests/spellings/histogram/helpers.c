/* SPDX-License-Identifier: Apache-2.0 */
/* functions for clearing and counting */
#include <stdint.h>

static void clear(uint32_t *counts, int size)
{
    for (int i = 0; i < size; i++)
        counts[i] = 0;
}

static void count(uint32_t *counts, uint8_t value)
{
    counts[value] += 1;
}

void histogram(const uint8_t *in, uint32_t *counts)
{
    clear(counts, 256);
    for (int i = 0; i < 256; i++)
        count(counts, in[i]);
}

void call(const void *in, void *out) { histogram(in, out); }
