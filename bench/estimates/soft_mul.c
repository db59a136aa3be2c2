// SPDX-License-Identifier: Apache-2.0
// offload: soft_mul
/* A product of two doubles by their bits, from four products of 32 bits. */
#include <stdint.h>

static void product(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
    uint32_t ah = a >> 32, al = a, bh = b >> 32, bl = b;
    uint64_t middle = (uint64_t)ah * bl, other = (uint64_t)al * bh;
    uint64_t h = (uint64_t)ah * bh, l = (uint64_t)al * bl;
    middle += other;
    h += ((uint64_t)(middle < other) << 32) + (middle >> 32);
    middle <<= 32;
    l += middle;
    h += l < middle;
    *high = h;
    *low = l;
}

static int special(uint64_t a)
{
    return (a >> 52 & 2047) == 2047;
}

uint64_t soft_mul(uint64_t a, uint64_t b)
{
    uint64_t sign = (a ^ b) >> 63 << 63, high, low;
    int ea = a >> 52 & 2047, eb = b >> 52 & 2047;
    if (special(a) || special(b)) {
        if (!(a << 1) || !(b << 1) || (special(a) && a << 12) || (special(b) && b << 12))
            return 0x7ff8000000000000ull;
        return sign | 0x7ffull << 52;
    }
    if (!ea || !eb)
        return sign;
    int exponent = ea + eb - 1023;
    product((a << 11 | 1ull << 63) >> 1, b << 11 | 1ull << 63, &high, &low);
    uint64_t digits = high | (low != 0);
    if (digits >> 62)
        exponent++;
    else
        digits <<= 1;
    uint64_t tail = digits & 1023;
    digits = (digits + 512) >> 10;
    if (tail == 512)
        digits &= ~1ull;
    if (digits >> 53) { digits >>= 1; exponent++; }
    if (exponent <= 0)
        return sign;
    if (exponent >= 2047)
        return sign | 0x7ffull << 52;
    return sign | (uint64_t)exponent << 52 | (digits & 0xfffffffffffffull);
}
