/* SPDX-License-Identifier: Apache-2.0 */
/* Hyperbolic functions and their inverses, and powers and logarithms next to 1, of <math.h>, made of
 * those of library/libm: of double within 3 ulp, of float, by way of double, within 0.51. */
#include <math.h>

#define LOG_OF_2 0.69314718055994530942
#define HUGE_POWER 709.0  /* e to more than this may overflow, where half of it does not */
#define SAME_AS_1 22.0    /* tanh of more than this rounds to 1 */
#define SQUARES_END 0x1p28 /* x * x + 1 rounds to x * x */

/* e^x - 1. A power next to 1 has lost the last bits of x: it is that of the logarithm it has, by
 * which and not by x it is to be measured. */
double expm1(double x)
{
    const double power = exp(x), above = power - 1;
    if (power == 1)
        return x;
    return above == -1 || isinf(power) ? above : above * x / log(power);
}

/* log(1 + x), in the same way. */
double log1p(double x)
{
    const double sum = 1 + x;
    if (sum == 1 || sum == INFINITY)
        return x;
    return log(sum) * (x / (sum - 1));
}

double sinh(double x)
{
    const double size = fabs(x);
    if (size > HUGE_POWER) {
        const double root = exp(size / 2);
        return copysign(root / 2 * root, x);
    }
    const double power = expm1(size);
    return copysign((power + power / (power + 1)) / 2, x);
}

double cosh(double x)
{
    const double size = fabs(x);
    if (size > HUGE_POWER) {
        const double root = exp(size / 2);
        return root / 2 * root;
    }
    const double power = exp(size);
    return power / 2 + 0.5 / power;
}

double tanh(double x)
{
    const double power = expm1(2 * fabs(x));
    return copysign(fabs(x) > SAME_AS_1 ? 1 : power / (power + 2), x);
}

double asinh(double x)
{
    const double size = fabs(x);
    if (size > SQUARES_END)
        return copysign(log(size) + LOG_OF_2, x);
    return copysign(log1p(size + size * size / (1 + sqrt(size * size + 1))), x);
}

double acosh(double x)
{
    if (x > SQUARES_END)
        return log(x) + LOG_OF_2;
    const double above = x - 1;
    return x < 1 ? NAN : log1p(above + sqrt(above * (above + 2)));
}

double atanh(double x)
{
    const double size = fabs(x);
    return copysign(log1p(2 * size / (1 - size)) / 2, x);
}

float expm1f(float x) { return (float)expm1(x); }
float log1pf(float x) { return (float)log1p(x); }
float sinhf(float x) { return (float)sinh(x); }
float coshf(float x) { return (float)cosh(x); }
float tanhf(float x) { return (float)tanh(x); }
float asinhf(float x) { return (float)asinh(x); }
float acoshf(float x) { return (float)acosh(x); }
float atanhf(float x) { return (float)atanh(x); }
