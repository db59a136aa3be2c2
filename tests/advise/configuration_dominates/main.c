// SPDX-License-Identifier: Apache-2.0
/* A good kernel with little to do. */
#include <stdint.h>
#include <stdio.h>
#define N 30000
static uint64_t data[N];
static uint64_t mixed(uint64_t x)
{
    for (int round = 0; round < 8; round++) {
        uint64_t y = 0;
        for (int k = 0; k < 64; k++)
            y |= (x >> (k * 37 + 11) % 64 & 1) << k;
        x ^= y >> 1;
    }
    return x;
}

uint64_t digest(const uint64_t *p, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++)
        s ^= mixed(p[i]);
    return s;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        data[i] = i * 0x9e3779b97f4a7c15u;
    printf("%lx\n", (unsigned long)digest(data, N));
    return 0;
}
