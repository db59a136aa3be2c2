/* SPDX-License-Identifier: Apache-2.0
 * Powers of 2. */
#ifndef LIBM_EXP2_H
#define LIBM_EXP2_H

#include "exp_tables.h"
#include "fixed.h"

/* A power of 2 is the product of three: of the first 7 bits of x and the next 6, from tables, and of
 * the rest r, which is below 2^-13 and takes three terms of a series. Q63, from 1 to below 2, wrong
 * by less than 2^-59, or 2^-32 for binary32. */
INLINE uint64_t power_of_fraction(format f, uint64_t x)
{
    const int fewer = fewer_bits(f) ? 18 : 0;
    const uint64_t first = POWER_7[x >> 57], next = POWER_13[x >> 51 & 63];
    const uint64_t rest = x & low_bits(51);
    const uint64_t curve = POWER_1 + (fewer ? 0 : product(rest, 33, POWER_2, 42, 64));
    const uint64_t slope = POWER_0 + product(rest, 15 + fewer, curve, 26 + fewer, 64);
    const uint64_t power = product(rest, fewer, slope, 10 + fewer, 64);
    const uint64_t both = first + product(first, 10 + fewer, next, 3 + fewer, 64);
    return both + product(both, 10 + fewer, power, fewer, 64);
}

/* From 2^this on a power of 2 overflows, or is below half of the least number. */
#define TOO_LARGE 11

/* 2^x rounded, or minus that; |x| is 2^exponent * factor, a Q123 from 1 to below 8, or 0. An integer
 * becomes the exponent, what is left a fraction. */
INLINE uint64_t power_of_2(format f, bool minus, bool sign, int exponent, wide factor)
{
    const bool large = exponent >= TOO_LARGE;
    const int right = TOO_LARGE - 1 - exponent;
    const wide size = factor >> (123 - 64 - (TOO_LARGE - 1)); /* Q64 where nothing is moved */
    const wide moved = right > 127 ? 0 : moved_right(size, right, 7);
    const wide power = sign ? -moved : moved;
    const int most = 1 << f.exponent_bits;
    const int scale = large ? sign ? -most : most : (int)(int64_t)(power >> 64);
    return nearest(f, minus, scale, power_of_fraction(f, (uint64_t)power));
}

#endif
