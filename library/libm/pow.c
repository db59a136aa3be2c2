/* SPDX-License-Identifier: Apache-2.0 */
/* Powers. The functions have the names of ISO C's, so that a program's calls find them. */
#include "exp2.h"
#include "logarithm.h"

typedef struct {
    bool whole, odd;
} integrality;

/* Whether a number is an integer, and an odd one. The bits of a fraction that is above 0 are moved
 * left until that of 1 is the highest one. */
INLINE integrality integrality_of(format f, uint64_t x)
{
    const int exponent = exponent_of(f, x) - bias(f);
    const uint64_t bits = moved_left(significand_of(f, x) << (63 - f.fraction_bits), exponent, 6);
    const bool some = (exponent >= 0) & (exponent < 64), whole = bits << 1 == 0;
    return (integrality){
        .whole = (exponent >= 64) | (some & whole),
        .odd = some & whole & (bits >> 63),
    };
}

/* x * y / 2^72 of two numbers below 2^72. */
INLINE wide long_product(wide x, wide y)
{
    return (x * (y >> 36) + (x * (y & low_bits(36)) >> 36)) >> 36;
}

/* |x|^y of finite numbers that are not 0, with a sign; by the logarithm to base 2. That needs as many
 * bits more than the result as an exponent has. */
INLINE uint64_t finite_power(format f, bool minus, uint64_t x, uint64_t y)
{
    const int fewer = fewer_bits(f), shorter = fewer ? 18 : 0;
    const logarithm natural = log_of(F64, normal(f, x));
    const wide log2 = long_product(natural.significand >> 56, LOG2_E) >> shorter << shorter; /* Q70 */
    const wide factor = (significand_of(f, y) << fewer) * log2 << 1;
    const int exponent = scale_of(f, y) - bias(f) + natural.exponent;
    return power_of_2(f, minus, natural.sign ^ sign_of(f, y), exponent, factor);
}

INLINE uint64_t power(format f, uint64_t x, uint64_t y)
{
    const uint64_t one = (uint64_t)bias(f) << f.fraction_bits, size = magnitude_of(f, x);
    const integrality y_is = integrality_of(f, y);
    const bool minus = sign_of(f, x) & y_is.odd & !is_infinite_or_nan(f, y);
    const bool is_limit = is_zero(f, x) | is_infinite_or_nan(f, x) | is_infinite_or_nan(f, y);
    const bool grows = (size < one) == sign_of(f, y);
    const bool no_root = sign_of(f, x) & !y_is.whole & !is_limit;
    const bool is_one = is_zero(f, y) | (x == one);
    const bool nan = is_nan(f, x) | is_nan(f, y) | no_root;
    const uint64_t limit = grows ? infinity(f, minus) : with_sign(f, minus, 0);
    const uint64_t result = is_limit ? limit : finite_power(f, minus, x, y);
    return is_one ? one : nan ? quiet_nan(f) : size == one ? with_sign(f, minus, one) : result;
}

/* x^y, within 0.7 ulp; of float, 0.51. */
double pow(double x, double y)
{
    return number_of(power(F64, pattern_of(x), pattern_of(y)));
}

float powf(float x, float y)
{
    return float_of(power(F32, pattern_of_float(x), pattern_of_float(y)));
}
