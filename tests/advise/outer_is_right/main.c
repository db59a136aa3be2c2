// SPDX-License-Identifier: Apache-2.0
/* A block is little work, all blocks are much. */
#include <stdint.h>
#include <stdio.h>
#define N 60000
static uint64_t data[N];
uint64_t block(uint64_t x)
{
    for (int round = 0; round < 8; round++) {
        uint64_t y = 0;
        for (int k = 0; k < 64; k++)
            y |= (x >> (k * 37 + 11) % 64 & 1) << k;
        x ^= y >> 1;
    }
    return x;
}

void all_blocks(uint64_t *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = block(p[i]);
}
int main(void)
{
    for (int i = 0; i < N; i++)
        data[i] = i * 0x9e3779b97f4a7c15u;
    all_blocks(data, N);
    printf("%lx\n", (unsigned long)data[7]);
    return 0;
}
