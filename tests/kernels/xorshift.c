/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

uint32_t xorshift(uint32_t seed, uint32_t *out, int n)
{
    uint32_t x = seed ? seed : 1;
    int i;

    for (i = n; i > 0; i--) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        *out++ = x;
    }
    return x;
}
