// SPDX-License-Identifier: Apache-2.0
// offload: soft_div
/* A quotient of two doubles by their bits, a bit in each turn of the loop. */
#include <stdint.h>

uint64_t soft_div(uint64_t a, uint64_t b)
{
    uint64_t sign = (a ^ b) & 1ull << 63;
    int ea = a >> 52 & 2047, eb = b >> 52 & 2047;
    uint64_t da = a & 0xfffffffffffffull, db = b & 0xfffffffffffffull;
    if (ea == 2047 || eb == 2047) {
        if ((ea == 2047 && (da || eb == 2047)) || (eb == 2047 && db))
            return ~0ull >> 1;
        return ea == 2047 ? sign | 2047ull << 52 : sign;
    }
    if (!eb)
        return ea ? sign | 2047ull << 52 : ~0ull >> 1;
    if (!ea)
        return sign;
    da |= 1ull << 52;
    db |= 1ull << 52;
    int exponent = ea - eb + 1023;
    if (da < db) { da <<= 1; exponent--; }
    uint64_t quotient = 0;
    for (int i = 0; i < 55; i++) {
        quotient <<= 1;
        if (da >= db) { da -= db; quotient |= 1; }
        da <<= 1;
    }
    quotient |= da != 0;
    quotient = (quotient >> 2) + ((quotient >> 1 & 1) & ((quotient & 1) | (quotient >> 2 & 1)));
    if (exponent <= 0)
        return sign;
    if (exponent >= 2047)
        return sign | 2047ull << 52;
    return sign | (((uint64_t)exponent << 52) + (quotient - (1ull << 52)));
}
