// SPDX-License-Identifier: Apache-2.0
// offload: soft_root
/* The square root of a double by its bits. */
#include <stdint.h>

uint64_t soft_root(uint64_t a)
{
    int exponent = a >> 52;
    uint64_t digits = (a & 0xfffffffffffffull) | 1ull << 52;
    if (exponent >= 2047)
        return exponent == 2047 ? a : ~0ull >> 1;
    if (!exponent)
        return 0;
    exponent -= 1023;
    if (exponent & 1)
        digits <<= 1;
    digits <<= 1;
    uint64_t root = 0, rest = 0, bit = 1ull << 53;
    for (; bit; bit >>= 1) {
        uint64_t next = rest + bit;
        if (next <= digits) {
            rest = next + bit;
            digits -= next;
            root += bit;
        }
        digits <<= 1;
    }
    root = (root >> 1) + (root & 1);
    return ((uint64_t)(exponent >> 1) + 1022 << 52) + root;
}
