/* SPDX-License-Identifier: Apache-2.0 */
/* Angles of points and tangents. The functions have the names of ISO C's, so that a program's calls
 * find them. */
#include "arctangent.h"

INLINE uint64_t angle_or_nan(format f, uint64_t y, uint64_t x)
{
    return is_nan(f, x) | is_nan(f, y) ? quiet_nan(f) : angle_of_numbers(f, y, x);
}

/* The other side of a triangle whose longest one is 1: sqrt(1 - x * x) for an x below 1. */
INLINE floating other_side(format f, floating x)
{
    const uint64_t m = x.significand >> 11;
    const wide square = (wide)m * m << 22; /* Q126 */
    const wide other = ((wide)1 << 126) - (x.exponent < -63 ? 0 : moved_right(square, -2 * x.exponent, 7));
    const normaliser n = normalised(128, other, 1 << 12);
    const int exponent = 1 - places_of(&n);
    return (floating){exponent >> 1, square_root(f, exponent & 1, (uint64_t)(n.value >> 64))};
}

/* The angle of a point at distance 1 whose y, or x if `is_cos`, is given. */
INLINE uint64_t angle_of_side(format f, bool is_cos, uint64_t given)
{
    const uint64_t one = (uint64_t)bias(f) << f.fraction_bits, size = magnitude_of(f, given);
    const bool sign = sign_of(f, given), is_1 = size == one;
    const floating side = normal(f, given), other = other_side(f, side);
    const bool given_less = (side.exponent < other.exponent) | ((side.exponent == other.exponent) & (side.significand < other.significand));
    const point p = is_cos ? (point){side, other, sign, false} : (point){other, side, false, sign};
    const bool swap = is_1 ? !is_cos : given_less == is_cos;
    return size > one ? quiet_nan(f) : angle_of_point(f, p, swap, is_1);
}

/* The angle of a point from the first axis, within 0.6 ulp; of float, 0.51. */
double atan2(double y, double x)
{
    return number_of(angle_or_nan(F64, pattern_of(y), pattern_of(x)));
}

float atan2f(float y, float x)
{
    return float_of(angle_or_nan(F32, pattern_of_float(y), pattern_of_float(x)));
}

/* The angle whose tangent is x, within 0.6 ulp; of float, 0.51. */
double atan(double x)
{
    return number_of(angle_or_nan(F64, pattern_of(x), pattern_of(1)));
}

float atanf(float x)
{
    return float_of(angle_or_nan(F32, pattern_of_float(x), pattern_of_float(1)));
}

/* The angle whose sine is x, within 0.6 ulp; of float, 0.51. */
double asin(double x)
{
    return number_of(angle_of_side(F64, false, pattern_of(x)));
}

float asinf(float x)
{
    return float_of(angle_of_side(F32, false, pattern_of_float(x)));
}

/* The angle whose cosine is x, within 0.6 ulp; of float, 0.51. */
double acos(double x)
{
    return number_of(angle_of_side(F64, true, pattern_of(x)));
}

float acosf(float x)
{
    return float_of(angle_of_side(F32, true, pattern_of_float(x)));
}
