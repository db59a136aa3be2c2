/* SPDX-License-Identifier: Apache-2.0
 * What the functions of this folder share: numbers as bit patterns, fixed-point arithmetic, and the
 * one rounding at the end.
 *
 * Inside, everything is an integer: sums and products of these are cheap in hardware, and where each
 * value lies is known beforehand. A comment `Qn` says that the lowest n bits are behind the binary
 * point; `Q64` of 64 bits is a fraction. Every function is written once for both formats, and drops
 * bits that binary32 does not need. */
#ifndef LIBM_FIXED_H
#define LIBM_FIXED_H

#include <string.h>

#include "../float/format.h"

typedef __int128 signed_wide;

INLINE uint64_t pattern_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE uint64_t pattern_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE float float_of(uint64_t pattern)
{
    const uint32_t bits = (uint32_t)pattern;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* -- fixed point ---------------------------------------------------------------------------- */

/* How many bits of a fraction less than binary64 a format has. */
INLINE int fewer_bits(format f) { return F64.fraction_bits - f.fraction_bits; }

/* x * y / 2^places, without the lowest bits of each: a product of up to 54 by 54 bits takes 9
 * multiplier blocks, one of 36 by 36 takes 4. */
INLINE uint64_t product(uint64_t x, int without_x, uint64_t y, int without_y, int places)
{
    const wide whole = (wide)(x >> without_x) * (y >> without_y);
    const int right = places - without_x - without_y;
    return (uint64_t)(right < 0 ? whole << -right : whole >> right);
}

/* The same of numbers with a sign. */
INLINE int64_t signed_product(int64_t x, int without_x, int64_t y, int without_y, int places)
{
    const signed_wide whole = (signed_wide)(x >> without_x) * (y >> without_y);
    const int right = places - without_x - without_y;
    return (int64_t)(right < 0 ? (wide)whole << -right : (wide)(whole >> right));
}

/* x * 2^places, for constant places of either sign. */
INLINE signed_wide moved(signed_wide x, int places)
{
    return places < 0 ? x >> -places : (signed_wide)((wide)x << places);
}

/* x without its lowest `places` bits, less than 2^`bits` of them: one choice for each bit. */
INLINE wide moved_right(wide x, int places, int bits)
{
    for (int i = bits - 1; i >= 0; i--)
        x = places >> i & 1 ? x >> (1 << i) : x;
    return x;
}

INLINE uint64_t moved_left(uint64_t x, int places, int bits)
{
    for (int i = bits - 1; i >= 0; i--)
        x = places >> i & 1 ? x << (1 << i) : x;
    return x;
}

/* -- the way in ----------------------------------------------------------------------------- */

/* A finite number that is not 0 (of any other, something): 2^exponent * significand, a Q63 from 1 to below 2. */
typedef struct {
    int exponent;
    uint64_t significand;
} floating;

/* The same of a subnormal number too, but with a significand below 1. */
INLINE floating plain(format f, uint64_t x)
{
    return (floating){scale_of(f, x) - bias(f), significand_of(f, x) << (63 - f.fraction_bits)};
}

INLINE floating normal(format f, uint64_t x)
{
    const floating v = plain(f, x);
    const int zeros = leading_zeros(64, v.significand);
    const uint64_t leading = UINT64_C(1) << 63;
    return (floating){v.exponent - zeros, moved_left(v.significand, zeros, 6) | leading};
}

/* 2^exponent * x for a Q62 from 1/2 to below 4. */
INLINE floating normal_62(int exponent, uint64_t x)
{
    const bool is_2 = x >> 63, is_1 = x >> 62 & 1;
    return is_2 ? (floating){exponent + 1, x} : is_1 ? (floating){exponent, x << 1} : (floating){exponent - 1, x << 2};
}

/* -- the way out ---------------------------------------------------------------------------- */

/* The number of a format that is nearest to 2^exponent * significand, a Q63 from 1 to below 2; of
 * any exponent. A `plain` number is nearest to itself. */
INLINE uint64_t nearest(format f, bool sign, int exponent, uint64_t significand)
{
    const int scale = exponent + bias(f) - 1;
    significand = significand >> fewer_bits(f) << fewer_bits(f);
    const wide subnormal = jammed_right(64, significand, -scale, -scale >= 64);
    return rounded(f, (exact){
        .sign = sign,
        .infinite = scale >= top_exponent(f) - 1,
        .exponent = scale < 0 ? 0 : scale + 1,
        .significand = (scale < 0 ? subnormal : significand) << 64,
    });
}

INLINE uint64_t infinity(format f, bool sign)
{
    return with_sign(f, sign, (uint64_t)top_exponent(f) << f.fraction_bits);
}

#endif
