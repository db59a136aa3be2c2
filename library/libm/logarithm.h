/* SPDX-License-Identifier: Apache-2.0
 * The natural logarithm of a number, to more bits than a format has, as its powers need. */
#ifndef LIBM_LOGARITHM_H
#define LIBM_LOGARITHM_H

#include "fixed.h"
#include "log_tables.h"

/* 2^exponent * significand, a top-aligned number from 1 to below 2; or 0. */
typedef struct {
    bool sign;
    int exponent;
    wide significand;
} logarithm;

/* Logarithms have 10 or 7 bits in front of the binary point, and what a word has left behind it. */
INLINE int log_bits(format f) { return fewer_bits(f) ? 64 : 128; }
INLINE int log_places(format f) { return fewer_bits(f) ? 56 : 117; }

/* log(1 + z) of a z, Q75, below 2^-12: z + z * (z * series). */
INLINE signed_wide log_near_1(format f, int64_t z)
{
    const bool is_short = fewer_bits(f);
    const int fewer = is_short ? 18 : 0;
    const int64_t third = LOG_SERIES_2 + signed_product(z, 46, LOG_SERIES_3, 46, 75);
    const int64_t second = LOG_SERIES_1 + (is_short ? 0 : signed_product(z, 28, third, 28, 75));
    const int64_t first = LOG_SERIES_0 + signed_product(z, 10 + 2 * fewer, second, 10 + 2 * fewer, 75);
    const int64_t slope = signed_product(z, 10 + fewer, first, 10 + fewer, 63); /* Q75 */
    const int64_t nearest_slope = (slope + (INT64_C(1) << (9 + fewer))) >> (10 + fewer);
    const signed_wide curve = (signed_wide)(z >> (10 + fewer)) * nearest_slope;
    return moved(z, log_places(f) - 75) + moved(curve, log_places(f) - 2 * (65 - fewer));
}

/* exponent * log 2 and two logarithms from tables, in the places of a logarithm. */
INLINE signed_wide log_known(format f, int exponent, int first, int next)
{
    const int fewer = fewer_bits(f) ? 36 : 0;
    const signed_wide whole = (signed_wide)(int16_t)exponent * (signed_wide)(LN_2 >> fewer);
    const signed_wide parts = moved(LOG_6_HIGH[first], 20) + LOG_6_LOW[first] +
                              moved(LOG_12_HIGH[next], 20) + LOG_12_LOW[next];
    return moved(whole, log_places(f) - 72 + fewer) + moved(parts, log_places(f) - 80);
}

/* The nearest 64th of a significand has a factor that brings it close to 1; what is left of it, the
 * nearest j / 2^12, another one. Both are 1 about 1, where a logarithm is as short as what is left:
 * nothing is lost of that. The relative error is below 2^-65, or 2^-32 for binary32.
 *
 * What is left is a small number with a sign; the 1 in front of it is not in the word. */
INLINE logarithm log_of(format f, floating x)
{
    const uint64_t significand = x.significand >> 11;
    const int nearest = (int)((significand + (UINT64_C(1) << 45)) >> 46), first = nearest & 63;
    const bool up = nearest >> 7, half = up | (first >= SQRT_2);
    const int64_t close = (int64_t)((significand << !up) * LOG_FACTORS[first] << 6); /* Q68 */
    const int64_t step = (int8_t)((close + (INT64_C(1) << 55)) >> 56);
    const int64_t rest = (int64_t)(((uint64_t)close << 7) - ((uint64_t)step << 63) -
                                   ((uint64_t)((close >> 6) * step) << 1)); /* Q75 */
    const signed_wide sum = log_known(f, x.exponent + half, first, (int)step + LOG_STEPS) +
                            log_near_1(f, rest);
    const wide size = (wide)(sum < 0 ? -sum : sum) << (128 - log_bits(f));
    const normaliser n = normalised(log_bits(f), size, 1 << 12);
    return (logarithm){
        .sign = sum < 0,
        .exponent = log_bits(f) - 1 - log_places(f) - places_of(&n),
        .significand = n.value,
    };
}

#endif
