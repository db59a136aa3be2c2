// SPDX-License-Identifier: Apache-2.0
/* All the work is in `main` itself. */
#include <stdint.h>
#include <stdio.h>
static uint64_t data[40000];
static uint64_t last(const uint64_t *p, int n)
{
    return p[n - 1] ^ p[n / 2];
}
int main(void)
{
    for (int i = 0; i < 40000; i++)
        data[i] = i * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 40000; i++) {
        uint64_t x = data[i];
        for (int round = 0; round < 6; round++) {
            uint64_t y = 0;
            for (int k = 0; k < 64; k++)
                y |= (x >> (k * 37 + 11) % 64 & 1) << k;
            x ^= y >> 1;
        }
        data[i] = x;
    }
    printf("%lx\n", (unsigned long)last(data, 40000));
    return 0;
}
