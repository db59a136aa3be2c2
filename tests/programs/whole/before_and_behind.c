// SPDX-License-Identifier: Apache-2.0
// offload: mix
// One access lies before the pointer and one behind it, both at places that the scalars tell.
#include <stdint.h>
#include <stdio.h>

static int64_t cells[600];

uint32_t mix(int64_t *a, const int64_t *b, uint32_t n, uint32_t s)
{
    uint32_t x = s ^ 7;
    a[x & 31] ^= (uint32_t)b[n & 15] | (uint32_t)a[-(int)(x & 7) - 3];
    return x;
}

int main(void)
{
    uint64_t hash = 0;
    for (int i = 0; i < 600; i++)
        cells[i] = i * 7 & 3;
    printf("%u\n", (unsigned)mix(cells + 485, cells + 394, 1, 0));
    printf("%u\n", (unsigned)mix(cells + 185, cells + 94, 9, 77));
    for (int i = 0; i < 600; i++)
        hash = hash * 31 + (uint64_t)cells[i];
    printf("%llx\n", (unsigned long long)hash);
    return 0;
}
