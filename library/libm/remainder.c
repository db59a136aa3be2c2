/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders. The functions have the names of ISO C's, so that a program's calls find them. */
#include "fixed.h"

/* Two bits of a long division: of a rest below d, four times that less as many d as there are in it.
 * All differences are made at once, and the last that is not negative is chosen. */
INLINE uint64_t divided_on(uint64_t rest, uint64_t d, uint64_t three_d)
{
    const int64_t four = (int64_t)(rest << 2);
    const int64_t less_1 = four - (int64_t)d, less_2 = four - (int64_t)(2 * d);
    const int64_t less_3 = four - (int64_t)three_d;
    const int64_t lower = less_1 < 0 ? four : less_1, upper = less_3 < 0 ? less_2 : less_3;
    return (uint64_t)(less_2 < 0 ? lower : upper);
}

/* The rest of |x| / |y| with the sign of x. The significand of x is less than twice that of y, and
 * so that it is less, that of y is made 2 or 4 times as large: which leaves an even number of bits
 * to find. */
INLINE uint64_t remainder_of(format f, uint64_t x, uint64_t y)
{
    const floating a = normal(f, x), b = normal(f, y);
    const int apart = a.exponent - b.exponent, more = 2 - (apart & 1);
    const uint64_t d = b.significand >> 11 << more, three_d = 3 * d;
    uint64_t rest = a.significand >> 11;
    for (int left = apart + more; left > 0; left -= 2)
        rest = divided_on(rest, d, three_d);
    rest <<= 11 - more;
    const int zeros = leading_zeros(64, rest);
    const uint64_t result = nearest(f, sign_of(f, x), b.exponent - zeros, moved_left(rest, zeros, 6));
    return rest ? result : with_sign(f, sign_of(f, x), 0);
}

INLINE uint64_t remainder_or_nan(format f, uint64_t x, uint64_t y)
{
    if (is_infinite_or_nan(f, x) | is_nan(f, y) | is_zero(f, y))
        return quiet_nan(f);
    return magnitude_of(f, x) < magnitude_of(f, y) ? x : remainder_of(f, x, y);
}

/* The rest of x / y towards zero, within 0 ulp. It takes a turn for two bits of the quotient. */
double fmod(double x, double y)
{
    return number_of(remainder_or_nan(F64, pattern_of(x), pattern_of(y)));
}

float fmodf(float x, float y)
{
    return float_of(remainder_or_nan(F32, pattern_of_float(x), pattern_of_float(y)));
}
