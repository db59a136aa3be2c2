/* SPDX-License-Identifier: Apache-2.0
 * Angles in quarters of a turn, and the sine and cosine of what is left. */
#ifndef LIBM_QUARTER_H
#define LIBM_QUARTER_H

#include "fixed.h"
#include "trig_tables.h"

/* |x| is `quarters` quarters of a turn and, of another one, a fraction below a half: that is
 * 2^exponent * significand, a Q63, and as a Q64 `fraction`. Of a small one, exponent and significand
 * are those of x: its sine and tangent are itself, and its cosine is 1. */
typedef struct {
    unsigned quarters;
    bool sign, small;
    int exponent;
    uint64_t significand, fraction;
} rotation;

/* |x| * 2 / pi, of which whole turns are left out from the start: the bits of 2 / pi that count are
 * 192 somewhere in a table. A number of binary64 comes as near as 2^-61 to a multiple of pi / 2, so
 * that at least 56 bits of the fraction are good; one of binary32 as 2^-31. */
INLINE wide turned(format f, floating x)
{
    const int first = x.exponent + 43 < 0 ? 0 : x.exponent + 43;
    uint64_t bits[5] = {0};
    for (int i = 0; i < 4; i++)
        bits[i] = TWO_OVER_PI[(first >> 6) + i];
    for (int step = 32; step > 0; step >>= 1)
        for (int i = 0; i < 4; i++)
            bits[i] = first & step ? bits[i] << step | bits[i + 1] >> (64 - step) : bits[i];
    const uint64_t m = x.significand >> 11;
    const wide low = fewer_bits(f) ? 0 : (wide)m * (bits[2] >> 10) >> 54;
    return ((wide)(m * bits[0]) << 64) + (wide)m * bits[1] + low;
}

INLINE rotation rotation_of(format f, uint64_t x)
{
    const floating v = plain(f, x);
    const bool small = v.exponent < (fewer_bits(f) ? -14 : -27);
    const wide turn = small ? 0 : turned(f, v); /* Q126 */
    const bool sign = turn >> 125 & 1;
    const wide rest = turn << 2, size = (sign ? -rest : rest) & ~(wide)low_bits(fewer_bits(f) ? 48 : 1);
    const normaliser n = normalised(fewer_bits(f) ? 80 : 128, size, 1 << 12);
    return (rotation){
        .quarters = (unsigned)(turn >> 126) + sign,
        .sign = sign,
        .small = small,
        .exponent = small ? v.exponent : -1 - places_of(&n),
        .significand = small ? v.significand : (uint64_t)(n.value >> 64),
        .fraction = (uint64_t)(size >> 64),
    };
}

/* x * x of a Q64 below a half, as a Q56, with 54 of 63 bits as one factor. */
INLINE uint64_t square(uint64_t x)
{
    const uint64_t high = x >> 9 & low_bits(54), low = x & low_bits(9);
    const wide whole = (wide)high * high + ((wide)high * low >> 8) + (UINT64_C(1) << 53);
    return (uint64_t)(whole >> 54) & low_bits(54);
}

/* c - u * term of a u, Q56, and a term below 2^bits; `u_bits` of one and `term_bits` of the other
 * count. */
INLINE uint64_t less(uint64_t c, uint64_t u, int u_bits, uint64_t term, int bits, int term_bits)
{
    return c - product(u, 54 - u_bits, term & low_bits(bits), bits - term_bits, 56);
}

/* The cosine of a fraction of a quarter by its square, or its sine divided by the fraction; Q62. */
INLINE uint64_t quarter_series(format f, bool is_cos, uint64_t u)
{
    if (fewer_bits(f)) {
        const uint64_t *c = is_cos ? COS_4 : SIN_4;
        const uint64_t third = less(c[3], u, 18, c[4], 52, 18);
        const uint64_t second = less(c[2], u, 36, third, 57, 36);
        const uint64_t first = less(c[1], u, 36, second, 61, 36);
        return less(c[0], u, 36, first, 63, 36);
    }
    const uint64_t *c = is_cos ? COS_7 : SIN_7;
    const uint64_t sixth = less(c[6], u, 18, c[7], 35, 18);
    const uint64_t fifth = less(c[5], u, 36, sixth, 41, 36);
    const uint64_t fourth = less(c[4], u, 36, fifth, 47, 36);
    const uint64_t third = less(c[3], u, 54, fourth, 52, 52);
    const uint64_t second = less(c[2], u, 54, third, 57, 54);
    const uint64_t first = less(c[1], u, 54, second, 61, 54);
    return less(c[0], u, 54, first, 63, 63);
}

#endif
