/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers: what compilers call for products that are not a number and for quotients, and
 * functions of <complex.h>. What infinities and zeros give is that of ISO C, annex G; how the last
 * bit is rounded is left open there. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* 1 with the sign of x where x is infinite, else 0 with it. */
INLINE double boxed(double x)
{
    return copysign(isinf(x) ? 1 : 0, x);
}

INLINE double zero_for_nan(double x)
{
    return isnan(x) ? copysign(0, x) : x;
}

/* A product of which both parts came out as no number: infinite, if one of the factors is. */
INLINE double _Complex product(double a, double b, double c, double d)
{
    const double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    const double real = ac - bd, imaginary = ad + bc;
    if (!isnan(real) || !isnan(imaginary))
        return CMPLX(real, imaginary);
    const bool left = isinf(a) || isinf(b), right = isinf(c) || isinf(d);
    if (!left && !right && !isinf(ac) && !isinf(bd) && !isinf(ad) && !isinf(bc))
        return CMPLX(real, imaginary);
    const double p = left ? boxed(a) : zero_for_nan(a), q = left ? boxed(b) : zero_for_nan(b);
    const double r = right ? boxed(c) : zero_for_nan(c), s = right ? boxed(d) : zero_for_nan(d);
    return CMPLX(INFINITY * (p * r - q * s), INFINITY * (p * s + q * r));
}

/* The power of 2 that brings the larger of two numbers to about 1. */
INLINE double scale_of(double c, double d)
{
    const double larger = fabs(c) > fabs(d) || isnan(c) ? c : d;
    uint64_t bits;
    memcpy(&bits, &larger, sizeof bits);
    const uint64_t exponent = bits >> 52 & 2047, opposite = exponent < 2046 ? 2046 - exponent : 1;
    bits = opposite << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

INLINE double _Complex quotient(double a, double b, double c, double d)
{
    const double scale = scale_of(c, d), r = c * scale, s = d * scale, norm = r * r + s * s;
    const double real = (a * r + b * s) / norm * scale, imaginary = (b * r - a * s) / norm * scale;
    if (!isnan(real) || !isnan(imaginary))
        return CMPLX(real, imaginary);
    if (norm == 0 && (!isnan(a) || !isnan(b)))
        return CMPLX(copysign(INFINITY, c) * a, copysign(INFINITY, c) * b);
    if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
        const double p = boxed(a), q = boxed(b);
        return CMPLX(INFINITY * (p * c + q * d), INFINITY * (q * c - p * d));
    }
    if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
        const double p = boxed(c), q = boxed(d);
        return CMPLX(0 * (a * p + b * q), 0 * (b * p - a * q));
    }
    return CMPLX(real, imaginary);
}

double _Complex __muldc3(double a, double b, double c, double d)
{
    return product(a, b, c, d);
}

float _Complex __mulsc3(float a, float b, float c, float d)
{
    const float real = a * c - b * d, imaginary = a * d + b * c;
    if (!isnan(real) || !isnan(imaginary))
        return CMPLXF(real, imaginary);
    const double _Complex whole = product(a, b, c, d);
    const bool infinite = isinf(creal(whole)) || isinf(cimag(whole));
    return infinite ? CMPLXF((float)creal(whole), (float)cimag(whole)) : CMPLXF(real, imaginary);
}

/* Where c + d * i is infinitely far from 1, the power of 2 nearest to that. */
double _Complex __divdc3(double a, double b, double c, double d)
{
    return quotient(a, b, c, d);
}

float _Complex __divsc3(float a, float b, float c, float d)
{
    const double _Complex whole = quotient(a, b, c, d);
    return CMPLXF((float)creal(whole), (float)cimag(whole));
}

double cabs(double _Complex z)
{
    return hypot(creal(z), cimag(z));
}

float cabsf(float _Complex z)
{
    return hypotf(crealf(z), cimagf(z));
}

double carg(double _Complex z)
{
    return atan2(cimag(z), creal(z));
}

float cargf(float _Complex z)
{
    return atan2f(cimagf(z), crealf(z));
}

/* e^z, each part within 2 ulp; infinite where e^x is, and 0 where that is. */
double _Complex cexp(double _Complex z)
{
    const double x = creal(z), y = cimag(z), size = exp(x);
    if (y == 0)
        return CMPLX(size, y);
    if (isinf(x) && !isfinite(y))
        return x < 0 ? CMPLX(0, copysign(0, y)) : CMPLX(size, NAN);
    return CMPLX(size * cos(y), size * sin(y));
}

float _Complex cexpf(float _Complex z)
{
    const float x = crealf(z), y = cimagf(z), size = expf(x);
    if (y == 0)
        return CMPLXF(size, y);
    if (isinf(x) && !isfinite(y))
        return x < 0 ? CMPLXF(0, copysignf(0, y)) : CMPLXF(size, NAN);
    return CMPLXF(size * cosf(y), size * sinf(y));
}
