/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms. The functions have the names of ISO C's, so that a program's calls find them. */
#include "logarithm.h"

/* The logarithm to a base that natural ones are divided by: times 2^exponent * factor, a Q63 from 1
 * to below 2. */
INLINE uint64_t log_to_base(format f, int exponent, uint64_t factor, uint64_t x)
{
    const logarithm natural = log_of(f, normal(f, x));
    const int without = fewer_bits(f) ? 28 : 0;
    const uint64_t significand = product((uint64_t)(natural.significand >> 64), without, factor, without, 64);
    const bool is_2 = significand >> 63;
    const uint64_t result = nearest(f, natural.sign, natural.exponent + exponent + is_2,
                                    is_2 ? significand : significand << 1);
    const bool invalid = is_nan(f, x) | (sign_of(f, x) & !is_zero(f, x));
    const bool special = is_zero(f, x) | is_infinite_or_nan(f, x);
    return invalid ? quiet_nan(f) : special ? infinity(f, is_zero(f, x)) : result;
}

/* The natural logarithm, within 0.51 ulp. */
double log(double x)
{
    return number_of(log_to_base(F64, 0, UINT64_C(1) << 63, pattern_of(x)));
}

float logf(float x)
{
    return float_of(log_to_base(F32, 0, UINT64_C(1) << 63, pattern_of_float(x)));
}

/* The logarithm to base 2, within 0.51 ulp. */
double log2(double x)
{
    return number_of(log_to_base(F64, 0, LOG_2, pattern_of(x)));
}

float log2f(float x)
{
    return float_of(log_to_base(F32, 0, LOG_2, pattern_of_float(x)));
}

/* The logarithm to base 10, within 0.51 ulp. */
double log10(double x)
{
    return number_of(log_to_base(F64, -2, LOG_10, pattern_of(x)));
}

float log10f(float x)
{
    return float_of(log_to_base(F32, -2, LOG_10, pattern_of_float(x)));
}
