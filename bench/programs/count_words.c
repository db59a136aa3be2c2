/* SPDX-License-Identifier: Apache-2.0
 * Counts numbers in a table with open addressing: how far it looks depends on what it has put in. */
#include <stdint.h>
#include <stdio.h>

#define COUNT 4000000
#define SLOTS 65536

int kernel(const uint32_t *in, int n, uint32_t *keys, uint32_t *counts)
{
    int used = 0;
    for (int i = 0; i < n; i++) {
        uint32_t key = in[i] | 1, at = key * 2654435761u >> 16;
        while (keys[at] && keys[at] != key)
            at = (at + 1) & (SLOTS - 1);
        used += keys[at] == 0;
        keys[at] = key;
        counts[at]++;
    }
    return used;
}

int main(void)
{
    static uint32_t in[COUNT], keys[SLOTS], counts[SLOTS];
    uint32_t state = 1, total = 0;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = state >> 16;
    }
    int used = kernel(in, COUNT, keys, counts);
    for (int i = 0; i < SLOTS; i++)
        total += counts[i];
    printf("%d %u\n", used, total);
    return total != COUNT;
}
