/* SPDX-License-Identifier: Apache-2.0
 * Roots and reciprocals: a short number r that is near m^(-1/n), and a series for what is left,
 * m * r^n = 1 + z. Then m^(1/n) is m * r^(n-1) * (1 + z)^(1/n - 1), and 1/m is r / (1 + z). */
#ifndef LIBM_ROOT_H
#define LIBM_ROOT_H

#include "fixed.h"
#include "root_tables.h"

/* (2^j * m)^(-1/n) for an m, Q63, from 1 to below 2 and a j below n; a Q17, never too small, and too
 * large by so little that z, as above, is below 2^-12. */
INLINE uint64_t root_guess(int n, int j, uint64_t m)
{
    const uint32_t *at = n == 1 ? ROOT_1 : n == 2 ? ROOT_2 : ROOT_3;
    const uint16_t *drop = n == 1 ? ROOT_DROP_1 : n == 2 ? ROOT_DROP_2 : ROOT_DROP_3;
    const uint32_t *part = n == 1 ? ROOT_PART_1 : n == 2 ? ROOT_PART_2 : ROOT_PART_3;
    const uint32_t index = m >> 57 & 63, along = m >> 47 & 1023;
    const uint64_t guess = (at[index] - (drop[index] * along >> 10)) & low_bits(18);
    return j ? ((guess * part[j] >> 17) + 1) & low_bits(18) : guess;
}

/* A root, Q63, from 1 to below 2: base * (1 - z * series) of a base, Q62, and a z, Q76, below 2^-12. What comes out
 * as 2 is as near to it as can be. */
INLINE uint64_t root_refined(format f, int n, uint64_t base, uint64_t z)
{
    const uint64_t *series = n == 1 ? ROOT_SERIES_1 : n == 2 ? ROOT_SERIES_2 : ROOT_SERIES_3;
    const bool is_short = fewer_bits(f);
    const int fewer = is_short ? 18 : 0;
    const uint64_t third = series[2] - product(z, 46, series[3], 46, 76);
    const uint64_t second = series[1] - (is_short ? 0 : product(z, 28, third, 28, 76));
    const uint64_t first = series[0] - product(z, 10 + 2 * fewer, second, 10 + 2 * fewer, 76);
    const uint64_t less = product(z, 10 + fewer, first, 10 + fewer, 63); /* Q76 */
    const uint64_t root = base - product(base, 10 + fewer, less, 10 + fewer, 76);
    return root >> 63 ? ~UINT64_C(0) : root << 1;
}

/* The root of 2^j * m, for an m, Q63, from 1 to below 2 and j of 0 or 1; Q63. */
INLINE uint64_t square_root(format f, int j, uint64_t m)
{
    const uint64_t kept = fewer_bits(f) ? m >> 28 << 28 : m, guess = root_guess(2, j, m);
    const uint64_t rest = (uint64_t)((wide)kept * (guess * guess) << j >> 21);
    const uint64_t base = (uint64_t)((wide)kept * guess << j >> 18);
    return root_refined(f, 2, base, rest);
}

/* a / b of two Q63 from 1 to below 2; Q63. */
INLINE uint64_t quotient(format f, uint64_t a, uint64_t b)
{
    const int without = fewer_bits(f) ? 28 : 0;
    const uint64_t kept = b >> without << without, guess = root_guess(1, 0, b);
    const uint64_t rest = (uint64_t)((wide)kept * guess >> 4);
    const uint64_t base = (uint64_t)((wide)(a >> without << without) * guess >> 18);
    return root_refined(f, 1, base, rest);
}

#endif
