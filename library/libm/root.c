/* SPDX-License-Identifier: Apache-2.0 */
/* Roots and distances. The functions have the names of ISO C's, so that a program's calls find them.
 */
#include "root.h"

#define MANY_THIRDS 400 /* more than there are exponents below 0, divided by 3 */

/* Of 2^(3 * third + j) * m. */
INLINE uint64_t cube_root(format f, uint64_t x)
{
    const int shorter = fewer_bits(f) ? 18 : 0;
    const floating v = normal(f, x);
    const uint32_t positive = (uint32_t)(v.exponent + 3 * MANY_THIRDS);
    const int third = (int)(positive * 43691 >> 17), j = (int)positive - 3 * third;
    const uint64_t m = v.significand >> 11, guess = root_guess(3, j, v.significand);
    const uint64_t square = guess * guess, cube = square * guess;
    const uint64_t rest = (uint64_t)((wide)m * (cube >> shorter) << j >> (27 - shorter));
    const uint64_t base = (uint64_t)((wide)m * square << j >> 24);
    const uint64_t result = nearest(f, sign_of(f, x), third - MANY_THIRDS, root_refined(f, 3, base, rest));
    return is_nan(f, x) ? quiet_nan(f) : is_zero(f, x) | is_infinite_or_nan(f, x) ? x : result;
}

/* The larger one's square and, under it, the smaller one's. The sum of both, from 1 to below 8, is
 * 4^quarters * 2^j * m. */
INLINE uint64_t distance_to(format f, uint64_t x, uint64_t y)
{
    const bool swap = magnitude_of(f, x) < magnitude_of(f, y);
    const uint64_t large = swap ? y : x, small = swap ? x : y;
    const floating a = normal(f, large), b = normal(f, small);
    const int apart = a.exponent - b.exponent;
    const wide along = (wide)(a.significand >> 11) * (a.significand >> 11) >> 42;
    const wide across = (wide)(b.significand >> 11) * (b.significand >> 11) >> 42;
    const wide sum = along + (is_zero(f, small) | (apart > 31) ? 0 : moved_right(across, 2 * apart, 6));
    const bool quarters = sum >> 64;
    const uint64_t scaled = (uint64_t)(quarters ? sum >> 2 : sum);
    const int j = scaled >> 63;
    const uint64_t root = square_root(f, j, j ? scaled : scaled << 1);
    const uint64_t result = nearest(f, false, a.exponent + quarters, root);
    const bool infinite = (magnitude_of(f, x) == infinity(f, false)) | (magnitude_of(f, y) == infinity(f, false));
    return infinite ? infinity(f, false) : is_nan(f, x) | is_nan(f, y) ? quiet_nan(f) : is_zero(f, large) ? 0 : result;
}

/* The cube root, within 0.51 ulp; of float, 0.52. */
double cbrt(double x)
{
    return number_of(cube_root(F64, pattern_of(x)));
}

float cbrtf(float x)
{
    return float_of(cube_root(F32, pattern_of_float(x)));
}

/* The root of the sum of two squares, within 0.51 ulp. */
double hypot(double x, double y)
{
    return number_of(distance_to(F64, pattern_of(x), pattern_of(y)));
}

float hypotf(float x, float y)
{
    return float_of(distance_to(F32, pattern_of_float(x), pattern_of_float(y)));
}
