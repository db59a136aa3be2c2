/* SPDX-License-Identifier: Apache-2.0
 * Errors of the functions in library/libm, against the host's long double ones.
 *
 *     accuracy [POINTS [FUNCTIONS]]
 *
 * Prints a line for each function: name, stated bound, largest error in ulp, and where it is. A wrong
 * sign, NaN or infinity is an infinite error. Returns 1 where an error is larger than its bound.
 *
 * An ulp is the distance between numbers of the format at the exact result, also where that is
 * subnormal. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

typedef struct {
    double lowest, highest; /* the range that most points are in */
    double center, step;    /* points are also near center + i * step */
} range;

typedef struct {
    const char *name;
    bool is_float;
    double bound;
    double (*one)(double);
    double (*two)(double, double);
    long double (*exact_one)(long double);
    long double (*exact_two)(long double, long double);
    range x, y;
} function;

#define ONE(name, bound, ...)                                                                      \
    static double wide_##name(double x) { return OURS(name)(x); }                                  \
    static double wide_##name##f(double x) { return OURS(name##f)((float)x); }
#define TWO(name, bound, ...)                                                                      \
    static double wide_##name(double x, double y) { return OURS(name)(x, y); }                     \
    static double wide_##name##f(double x, double y) { return OURS(name##f)((float)x, (float)y); }
#include "functions.def"
#undef ONE
#undef TWO

#define ONE(name, double_bound, float_bound, ...)                                                  \
    {#name, false, double_bound, .one = wide_##name, .exact_one = name##l, __VA_ARGS__},           \
    {#name "f", true, float_bound, .one = wide_##name##f, .exact_one = name##l, __VA_ARGS__},
#define TWO(name, double_bound, float_bound, ...)                                                  \
    {#name, false, double_bound, .two = wide_##name, .exact_two = name##l, __VA_ARGS__},           \
    {#name "f", true, float_bound, .two = wide_##name##f, .exact_two = name##l, __VA_ARGS__},
static const function FUNCTIONS[] = {
#include "functions.def"
};

/* -- points --------------------------------------------------------------------------------- */

static uint64_t state = 88172645463325252;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static double part(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static double of_any_exponent(bool is_float)
{
    const uint64_t bits = random_bits();
    const uint32_t short_bits = (uint32_t)(bits >> 32);
    double x;
    float y;
    memcpy(&x, &bits, sizeof x);
    memcpy(&y, &short_bits, sizeof y);
    return is_float ? y : x;
}

static double near_a_step(range r)
{
    const double count = r.step ? floor((part() - 0.5) * exp2(part() * 30)) : 0;
    const double at = r.center + count * r.step;
    return at + (part() - 0.5) * (at ? fabs(at) : 1) * exp2(part() * -54);
}

static double any_point(bool is_float, range r)
{
    double x;
    switch (random_bits() & 7) {
    case 0:
    case 1:
        x = of_any_exponent(is_float);
        break;
    case 2:
    case 3:
        x = near_a_step(r);
        break;
    case 4:
        x = r.lowest + (r.highest - r.lowest) * exp2(part() * -30);
        break;
    default:
        x = r.lowest + (r.highest - r.lowest) * part();
    }
    return is_float ? (float)x : x;
}

/* -- errors --------------------------------------------------------------------------------- */

static double ulps(bool is_float, double found, long double exact)
{
    const int digits = is_float ? FLT_MANT_DIG : DBL_MANT_DIG;
    const int least = is_float ? FLT_MIN_EXP : DBL_MIN_EXP, most = is_float ? FLT_MAX_EXP : DBL_MAX_EXP;
    if (isnan(found) || isnan(exact))
        return isnan(found) && isnan(exact) ? 0 : INFINITY;
    if (!signbit(found) != !signbit(exact))
        return INFINITY;
    if (isinf(found))
        return fabsl(exact) >= ldexpl(1, most) - ldexpl(0.5L, most - digits) ? 0 : INFINITY;
    int exponent = least;
    if (exact != 0)
        frexpl(exact, &exponent);
    const long double ulp = ldexpl(1, (exponent < least ? least : exponent) - digits);
    return (double)(fabsl(found - exact) / ulp);
}

typedef struct {
    double error, x, y;
} result;

static result worse(const function *f, result worst, double x, double y)
{
    const double found = f->two ? f->two(x, y) : f->one(x);
    const long double exact = f->two ? f->exact_two(x, y) : f->exact_one(x);
    const double error = ulps(f->is_float, found, exact);
    return error > worst.error ? (result){error, x, y} : worst;
}

/* All pairs of numbers that have rules of their own, or are at the end of a range. */
static result at_special_points(const function *f)
{
    static const double SPECIAL[] = {
        0, 0x1p-1074, 0x1.fffffffffffffp-1023, 0x1p-1022, 0x1p-149, 0x1.fffffcp-127, 0x1p-126, 0x1p-54,
        0x1p-25, 0x1p-12, 0.5, 0x1.fffffep-1, 0x1.fffffffffffffp-1, 1, 0x1.0000000000001p0,
        0x1.000002p0, 1.5, 2, 3, 8, 10, 127, 128, 149, 150, 1023, 1024, 1074, 1075, 0x1p24, 0x1.000002p24,
        0x1p52, 0x1.0000000000001p52, 0x1p53, 0x1p62, 0x1p64, 0x1.fffffep127, 0x1p128,
        0x1.fffffffffffffp1023, INFINITY, NAN,
    };
    const int count = 2 * sizeof SPECIAL / sizeof *SPECIAL;
    result worst = {0, 0, 0};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < (f->two ? count : 1); j++) {
            const double x = i & 1 ? -SPECIAL[i / 2] : SPECIAL[i / 2];
            const double y = j & 1 ? -SPECIAL[j / 2] : SPECIAL[j / 2];
            worst = worse(f, worst, f->is_float ? (float)x : x, f->is_float ? (float)y : y);
        }
    return worst;
}

static bool measure(const function *f, long points)
{
    result worst = at_special_points(f);
    for (long i = 0; i < points; i++) {
        const double x = any_point(f->is_float, f->x);
        worst = worse(f, worst, x, f->two ? any_point(f->is_float, f->y) : 0);
    }
    printf("%s %g %.5f %a %a\n", f->name, f->bound, worst.error, worst.x, worst.y);
    fflush(stdout);
    return worst.error <= f->bound;
}

static bool is_named(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return count == 0;
}

int main(int count, char **arguments)
{
    const long points = count > 1 ? atol(arguments[1]) : 200000;
    const int named = count > 2 ? count - 2 : 0;
    bool good = true;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (is_named(FUNCTIONS[i].name, named, arguments + 2))
            good &= measure(&FUNCTIONS[i], points);
    return !good;
}
