// SPDX-License-Identifier: Apache-2.0
/* What one function makes another one reads, and nobody else. */
#include <stdint.h>
#include <stdio.h>
#define N 40000
static uint64_t between[N];
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

void make(const uint64_t *in)
{
    for (int i = 0; i < N; i++)
        between[i] = mixed(in[i]);
}
uint64_t use(uint64_t seed)
{
    uint64_t s = seed;
    for (int i = 0; i < N; i++)
        s ^= mixed(between[i] + seed);
    return s;
}
int main(void)
{
    static uint64_t in[N];
    uint64_t s = 1;
    for (int i = 0; i < N; i++)
        in[i] = i * 0x9e3779b97f4a7c15u;
    make(in);
    for (int i = 0; i < 3; i++)
        s = use(s);
    printf("%lx\n", (unsigned long)s);
    return 0;
}
