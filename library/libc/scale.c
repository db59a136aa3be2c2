/* SPDX-License-Identifier: Apache-2.0 */
/* What of <math.h> takes numbers apart and has one right result. The functions have the names of
 * ISO C's, so that a program's calls find them. */
#include <limits.h>
#include <math.h>

#include "../libm/fixed.h"

#define FARTHEST 5000 /* beyond the exponents of any two numbers */

INLINE uint64_t scaled(format f, uint64_t x, long by)
{
    if (is_infinite_or_nan(f, x) | is_zero(f, x))
        return x;
    const int steps = by > FARTHEST ? FARTHEST : by < -FARTHEST ? -FARTHEST : (int)by;
    const floating v = normal(f, x);
    return nearest(f, sign_of(f, x), v.exponent + steps, v.significand);
}

double ldexp(double x, int by) { return number_of(scaled(F64, pattern_of(x), by)); }
float ldexpf(float x, int by) { return float_of(scaled(F32, pattern_of_float(x), by)); }
double scalbn(double x, int by) { return ldexp(x, by); }
float scalbnf(float x, int by) { return ldexpf(x, by); }
double scalbln(double x, long by) { return number_of(scaled(F64, pattern_of(x), by)); }
float scalblnf(float x, long by) { return float_of(scaled(F32, pattern_of_float(x), by)); }

/* From 1/2 to below 1, and the power of 2 that it is to be taken times. */
INLINE uint64_t mantissa_of(format f, uint64_t x, int *exponent)
{
    const bool same = is_infinite_or_nan(f, x) | is_zero(f, x);
    const floating v = normal(f, x);
    *exponent = same ? 0 : v.exponent + 1;
    return same ? x : nearest(f, sign_of(f, x), -1, v.significand);
}

double frexp(double x, int *exponent)
{
    return number_of(mantissa_of(F64, pattern_of(x), exponent));
}

float frexpf(float x, int *exponent)
{
    return float_of(mantissa_of(F32, pattern_of_float(x), exponent));
}

INLINE int exponent_or_mark(format f, uint64_t x)
{
    return is_zero(f, x) ? FP_ILOGB0 : is_nan(f, x) ? FP_ILOGBNAN : is_infinite_or_nan(f, x) ? INT_MAX : normal(f, x).exponent;
}

int ilogb(double x) { return exponent_or_mark(F64, pattern_of(x)); }
int ilogbf(float x) { return exponent_or_mark(F32, pattern_of_float(x)); }
double logb(double x) { return x == 0 ? -INFINITY : isfinite(x) ? ilogb(x) : x * x; }
float logbf(float x) { return x == 0 ? -INFINITY : isfinite(x) ? (float)ilogbf(x) : x * x; }

double modf(double x, double *whole)
{
    *whole = trunc(x);
    return copysign(isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole)
{
    *whole = truncf(x);
    return copysignf(isinf(x) ? 0 : x - *whole, x);
}

double fdim(double x, double y) { return x <= y ? 0 : x - y; }
float fdimf(float x, float y) { return x <= y ? 0 : x - y; }

/* The pattern of the number next to x towards y: patterns of one sign are in the numbers' order. */
INLINE uint64_t next_towards(format f, uint64_t x, uint64_t y, bool up)
{
    if (is_nan(f, x) | is_nan(f, y))
        return quiet_nan(f);
    if (is_zero(f, x))
        return with_sign(f, !up, 1);
    return up != sign_of(f, x) ? x + 1 : x - 1;
}

double nextafter(double x, double y)
{
    return x == y ? y : number_of(next_towards(F64, pattern_of(x), pattern_of(y), x < y));
}

float nextafterf(float x, float y)
{
    return x == y ? y : float_of(next_towards(F32, pattern_of_float(x), pattern_of_float(y), x < y));
}
