/* SPDX-License-Identifier: Apache-2.0
 * The size of a local array follows from a long chain of choices, each of which asks for two values.
 * offload: stir */
#include <stdint.h>
#include <stdio.h>

#define STEP(k) x = x & k ? x * 33 + y : y ^ x; y = y & k ? x + k : y - x;

unsigned stir(unsigned x, unsigned y)
{
    STEP(1) STEP(2) STEP(4) STEP(8) STEP(16) STEP(32) STEP(64) STEP(128) STEP(3) STEP(5) STEP(6)
    STEP(7) STEP(9) STEP(10) STEP(11) STEP(12)
    uint8_t some[(x & 15) + 1];
    for (unsigned i = 0; i <= (x & 15); i++)
        some[i] = i * y;
    return some[(x & 15) / 2] + y;
}

int main(void)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < 9; k++)
        sum = 3 * sum + stir(k, 77 * k);
    printf("%u\n", sum);
    return 0;
}
