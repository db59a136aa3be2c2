// SPDX-License-Identifier: Apache-2.0
/* Two functions that take the same time: what configuring the device takes is more than either. */
#include <stdint.h>
#include <stdio.h>
#define N 90000
static uint64_t a[N], b[N];
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

uint64_t forward(const uint64_t *p, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++)
        s ^= mixed(p[i]);
    return s;
}
uint64_t backward(const uint64_t *p, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++)
        s += mixed(p[i] ^ i);
    return s;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = i * 0x9e3779b97f4a7c15u, b[i] = ~a[i];
    uint64_t s = 0;
    for (int i = 0; i < 2; i++)
        s += forward(a, N) ^ backward(b, N);
    printf("%lx\n", (unsigned long)s);
    return 0;
}
