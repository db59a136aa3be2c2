// SPDX-License-Identifier: Apache-2.0
// offload: soft_add
/* A sum of two doubles by their bits, rounded to the nearest: the smaller one is shifted right, with what falls out
   kept in its last bit. */
#include <stdint.h>

static int leading_zeros(uint64_t a)
{
    int n = 0;
    if (!(a >> 32)) { n += 32; a <<= 32; }
    if (!(a >> 48)) { n += 16; a <<= 16; }
    if (!(a >> 56)) { n += 8; a <<= 8; }
    if (!(a >> 60)) { n += 4; a <<= 4; }
    if (!(a >> 62)) { n += 2; a <<= 2; }
    return n + !(a >> 63);
}

static uint64_t rounded(uint64_t sign, int exponent, uint64_t digits)
{
    uint64_t low = digits & 1023;
    digits = (digits + 512) >> 10;
    if (low == 512)
        digits &= ~1ull;
    if (digits >> 53) { digits >>= 1; exponent++; }
    if (!digits)
        return sign << 63;
    if (exponent >= 2047)
        return sign << 63 | 0x7ffull << 52;
    return sign << 63 | (uint64_t)exponent << 52 | (digits & 0xfffffffffffffull);
}

uint64_t soft_add(uint64_t a, uint64_t b)
{
    if ((a & ~(1ull << 63)) < (b & ~(1ull << 63))) { uint64_t t = a; a = b; b = t; }
    int ea = a >> 52 & 2047, eb = b >> 52 & 2047;
    uint64_t da = (a << 10 | 1ull << 62) & ~(1ull << 63), db = (b << 10 | 1ull << 62) & ~(1ull << 63);
    uint64_t sign = a >> 63;
    if (ea == 2047)
        return a;
    if (!eb)
        return a;
    int by = ea - eb;
    if (by > 63)
        db = 1;
    else if (by)
        db = db >> by | ((db << (64 - by)) != 0);
    if (sign == b >> 63) {
        uint64_t sum = da + db;
        if (sum >> 63) { sum = sum >> 1 | (sum & 1); ea++; }
        return rounded(sign, ea, sum);
    }
    uint64_t rest = da - db;
    if (!rest)
        return 0;
    int up = leading_zeros(rest) - 1;
    return ea <= up ? sign << 63 : rounded(sign, ea - up, rest << up);
}
