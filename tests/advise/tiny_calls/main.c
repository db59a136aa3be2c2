// SPDX-License-Identifier: Apache-2.0
/* A function of a few instructions is called many times. */
#include <stdint.h>
#include <stdio.h>
uint32_t step(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}
int main(void)
{
    uint32_t x = 1;
    for (int i = 0; i < 400000; i++)
        x = step(x);
    printf("%u\n", x);
    return 0;
}
