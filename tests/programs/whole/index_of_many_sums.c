// SPDX-License-Identifier: Apache-2.0
// offload: f
// An index that is a sum of sums, each used several times: found in time, whatever it is.
#include <stdint.h>
#include <stdio.h>

uint32_t f(const uint16_t *a, uint32_t n, uint32_t s)
{
    uint32_t x = s ^ 7;
    for (uint32_t i = 0; i < 6; i++) {
        if (((uint32_t)a[n & 3] ^ a[i]) > 1u)
            x = x * 5 + (a[n & 3] ^ (255 & (n + a[i] + a[(n - 1 - i) & 31])));
        x = x * 5 + 134;
        x = x * 5 + a[-(int)(x & 7) - 2] - a[i];
    }
    return x;
}

int main(void)
{
    static uint16_t a[64];
    for (int i = 0; i < 64; i++)
        a[i] = (uint16_t)(i * i * 77);
    printf("%u %u\n", f(a + 16, 2, 1), f(a + 20, 7, 4000000));
    return 0;
}
