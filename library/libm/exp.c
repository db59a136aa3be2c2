/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of constants. The functions have the names of ISO C's, so that a program's calls find them.
 */
#include "exp2.h"

/* base^x, of a base whose logarithm to base 2, a Q71, is below 2. */
INLINE uint64_t power_of_base(format f, wide log2_base, uint64_t x)
{
    const int fewer = fewer_bits(f), exponent = exponent_of(f, x) - bias(f);
    const wide factor = (significand_of(f, x) << fewer) * (log2_base >> fewer << fewer);
    const uint64_t result = power_of_2(f, false, sign_of(f, x), exponent, factor);
    return is_nan(f, x) ? quiet_nan(f) : result;
}

/* e^x, within 0.51 ulp. */
double exp(double x)
{
    return number_of(power_of_base(F64, LOG2_E, pattern_of(x)));
}

float expf(float x)
{
    return float_of(power_of_base(F32, LOG2_E, pattern_of_float(x)));
}

/* 2^x, within 0.51 ulp. */
double exp2(double x)
{
    return number_of(power_of_base(F64, (wide)1 << 71, pattern_of(x)));
}

float exp2f(float x)
{
    return float_of(power_of_base(F32, (wide)1 << 71, pattern_of_float(x)));
}
