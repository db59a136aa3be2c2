/* SPDX-License-Identifier: Apache-2.0 */
/* Sines, cosines and tangents. The functions have the names of ISO C's, so that a program's calls
 * find them. */
#include "quarter.h"
#include "root.h"

/* The sine of an angle that is `more` quarters of a turn larger than |x|. */
INLINE uint64_t sine(format f, bool minus, unsigned more, uint64_t x)
{
    const rotation a = rotation_of(f, x);
    const unsigned quarters = a.quarters + more;
    const bool is_cos = quarters & 1;
    const int without = fewer_bits(f) ? 28 : 0;
    const uint64_t series = quarter_series(f, is_cos, square(a.fraction >> without << without));
    const uint64_t factor = a.small ? UINT64_C(1) << 62 : series;
    const uint64_t value = is_cos ? series << 1 : product(a.significand, without, factor, without, 63);
    const bool carry = value >> 63;
    const bool sign = minus ^ (quarters >> 1 & 1) ^ (a.sign & !is_cos);
    return nearest(f, sign, (is_cos ? -1 : a.exponent) + carry, carry ? value : value << 1);
}

INLINE uint64_t sine_of(format f, uint64_t x)
{
    return is_infinite_or_nan(f, x) ? quiet_nan(f) : sine(f, sign_of(f, x), 0, x);
}

INLINE uint64_t cosine_of(format f, uint64_t x)
{
    return is_infinite_or_nan(f, x) ? quiet_nan(f) : sine(f, false, 1, x);
}

/* The sine divided by the cosine, or in every other quarter by the other one. */
INLINE uint64_t tangent(format f, uint64_t x)
{
    const rotation a = rotation_of(f, x);
    const int without = fewer_bits(f) ? 28 : 0;
    const uint64_t u = square(a.fraction >> without << without);
    const uint64_t factor = a.small ? UINT64_C(1) << 62 : quarter_series(f, false, u);
    const uint64_t sine = product(a.significand, without, factor, without, 63);
    const floating s = normal_62(a.exponent, sine), c = normal_62(0, quarter_series(f, true, u));
    const bool turned = a.quarters & 1, sign = sign_of(f, x) ^ a.sign ^ turned;
    const floating over = turned ? c : s, under = turned ? s : c;
    const uint64_t value = quotient(f, over.significand, under.significand);
    const floating result = normal_62(over.exponent - under.exponent - 1, value);
    return nearest(f, sign, result.exponent, result.significand);
}

INLINE uint64_t tangent_of(format f, uint64_t x)
{
    return is_infinite_or_nan(f, x) ? quiet_nan(f) : tangent(f, x);
}

/* The sine, of an angle of any size within 0.6 ulp; of float, 0.51. */
double sin(double x)
{
    return number_of(sine_of(F64, pattern_of(x)));
}

float sinf(float x)
{
    return float_of(sine_of(F32, pattern_of_float(x)));
}

/* The cosine, of an angle of any size within 0.6 ulp; of float, 0.51. */
double cos(double x)
{
    return number_of(cosine_of(F64, pattern_of(x)));
}

float cosf(float x)
{
    return float_of(cosine_of(F32, pattern_of_float(x)));
}

/* The tangent, of an angle of any size within 0.8 ulp; of float, 0.51. */
double tan(double x)
{
    return number_of(tangent_of(F64, pattern_of(x)));
}

float tanf(float x)
{
    return float_of(tangent_of(F32, pattern_of_float(x)));
}
