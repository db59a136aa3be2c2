/* SPDX-License-Identifier: Apache-2.0 */
#include "soft_double.h"

typedef unsigned long long bits;

enum kind { ZERO, FINITE, INFINITE, QUIET, SIGNALLING };

/* its value, where finite: significand * 2 ** exponent, the significand's highest bit being bit 62 */
struct parts {
    enum kind kind;
    int negative, exponent;
    bits significand;
};

#define BIAS 1023
#define MOST 2047
#define FRACTION_BITS 52
#define GUARDS 10
#define TOP ((bits)1 << 62)
#define QUIET_BIT ((bits)1 << 51)
#define DEFAULT_NAN ((bits)0x7ff8 << 48)

int raised;

/* a one that is shifted out stays as a one at the end */
static bits shifted_down(bits a, int by)
{
    if (by <= 0)
        return a;
    return by > 63 ? a != 0 : a >> by | ((a & (((bits)1 << by) - 1)) != 0);
}

static void normalise(struct parts *p)
{
    static const signed char steps[] = {32, 16, 8, 4, 2, 1};
    unsigned i;

    for (i = 0; i < sizeof steps; i++)
        if (p->significand < TOP >> (steps[i] - 1)) {
            p->significand <<= steps[i];
            p->exponent -= steps[i];
        }
}

static struct parts taken_apart(soft_double a)
{
    struct parts p;
    int exponent = a >> FRACTION_BITS & MOST;
    bits fraction = a & (((bits)1 << FRACTION_BITS) - 1);

    p.negative = a >> 63;
    p.significand = fraction << GUARDS;
    p.exponent = exponent - BIAS - 62;
    if (exponent == MOST) {
        p.kind = !fraction ? INFINITE : fraction & QUIET_BIT ? QUIET : SIGNALLING;
    } else if (exponent) {
        p.kind = FINITE;
        p.significand |= TOP;
    } else if (fraction) {
        p.kind = FINITE;
        p.exponent++;
        normalise(&p);
    } else {
        p.kind = ZERO;
    }
    return p;
}

static soft_double assembled(int negative, int exponent, bits fraction)
{
    return (bits)negative << 63 | (((bits)exponent << FRACTION_BITS) + fraction);
}

static soft_double put_together(struct parts p)
{
    int exponent = p.exponent + BIAS + 62;
    bits lost;

    switch (p.kind) {
    case ZERO:
        return assembled(p.negative, 0, 0);
    case INFINITE:
        return assembled(p.negative, MOST, 0);
    case SIGNALLING:
    case QUIET:
        return DEFAULT_NAN;
    case FINITE:
        break;
    }
    if (exponent <= 0) {
        p.significand = shifted_down(p.significand, 1 - exponent);
        exponent = 0;
    }
    lost = p.significand & ((1 << GUARDS) - 1);
    p.significand >>= GUARDS;
    if (lost) {
        raised |= exponent ? INEXACT : INEXACT | TOO_SMALL;
        p.significand += lost > 1 << (GUARDS - 1) || (lost == 1 << (GUARDS - 1) && (p.significand & 1));
    }
    /* the highest bit of the significand, and what rounding carries into, count in the exponent */
    if (exponent)
        exponent += (int)(p.significand >> FRACTION_BITS) - 1;
    else
        exponent = (int)(p.significand >> FRACTION_BITS);
    if (exponent >= MOST) {
        raised |= TOO_LARGE | INEXACT;
        return assembled(p.negative, MOST, 0);
    }
    return assembled(p.negative, exponent, p.significand & (((bits)1 << FRACTION_BITS) - 1));
}

static int no_number(struct parts a, struct parts b)
{
    if (a.kind == SIGNALLING || b.kind == SIGNALLING)
        raised |= INVALID;
    return a.kind >= QUIET || b.kind >= QUIET;
}

static soft_double invalid(void)
{
    raised |= INVALID;
    return DEFAULT_NAN;
}

static struct parts added(struct parts a, struct parts b)
{
    struct parts larger, smaller, sum;

    if (b.exponent > a.exponent || (b.exponent == a.exponent && b.significand > a.significand)) {
        larger = b;
        smaller = a;
    } else {
        larger = a;
        smaller = b;
    }
    sum = larger;
    smaller.significand = shifted_down(smaller.significand, larger.exponent - smaller.exponent);
    if (a.negative == b.negative) {
        sum.significand += smaller.significand;
        if (sum.significand >> 63) {
            sum.significand = shifted_down(sum.significand, 1);
            sum.exponent++;
        }
    } else if ((sum.significand -= smaller.significand) == 0) {
        sum.kind = ZERO;
        sum.negative = 0;
    } else {
        normalise(&sum);
    }
    return sum;
}

soft_double soft_add(soft_double a, soft_double b)
{
    struct parts p = taken_apart(a), q = taken_apart(b);

    if (no_number(p, q))
        return DEFAULT_NAN;
    if (p.kind == INFINITE && q.kind == INFINITE && p.negative != q.negative)
        return invalid();
    if (p.kind == INFINITE)
        return a;
    if (q.kind == INFINITE)
        return b;
    if (p.kind == ZERO && q.kind == ZERO)
        return a & b;
    if (p.kind == ZERO)
        return b;
    if (q.kind == ZERO)
        return a;
    return put_together(added(p, q));
}

/* the upper 64 bits of a product, and a one if others are set */
static bits upper_product(bits a, bits b)
{
    const bits half = 0xffffffff;
    bits low = (a & half) * (b & half), left = (a >> 32) * (b & half), right = (a & half) * (b >> 32);
    bits middle = (left & half) + (right & half) + (low >> 32);

    return ((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32)) | (((middle | low) & half) != 0);
}

soft_double soft_multiply(soft_double a, soft_double b)
{
    struct parts p = taken_apart(a), q = taken_apart(b);

    if (no_number(p, q))
        return DEFAULT_NAN;
    if ((p.kind == INFINITE && q.kind == ZERO) || (p.kind == ZERO && q.kind == INFINITE))
        return invalid();
    p.negative ^= q.negative;
    if (p.kind != FINITE || q.kind != FINITE) {
        p.kind = p.kind == INFINITE || q.kind == INFINITE ? INFINITE : ZERO;
        return put_together(p);
    }
    p.significand = upper_product(p.significand << 1, q.significand);
    p.exponent += q.exponent + 63;
    normalise(&p);
    return put_together(p);
}

soft_double soft_divide(soft_double a, soft_double b)
{
    struct parts p = taken_apart(a), q = taken_apart(b);
    bits rest, quotient;
    int left;

    if (no_number(p, q))
        return DEFAULT_NAN;
    p.negative ^= q.negative;
    switch (p.kind) {
    case INFINITE:
        return q.kind == INFINITE ? invalid() : put_together(p);
    case ZERO:
        return q.kind == ZERO ? invalid() : put_together(p);
    default:
        if (q.kind == ZERO)
            raised |= BY_ZERO;
        if (q.kind != FINITE) {
            p.kind = q.kind == ZERO ? INFINITE : ZERO;
            return put_together(p);
        }
    }
    rest = p.significand;
    quotient = 0;
    left = 63;
    do {
        quotient <<= 1;
        if (rest >= q.significand) {
            rest -= q.significand;
            quotient |= 1;
        }
        rest <<= 1;
    } while (--left);
    p.significand = quotient | (rest != 0);
    p.exponent -= q.exponent + 62;
    normalise(&p);
    return put_together(p);
}

soft_double soft_from_int(int i)
{
    struct parts p = {i ? FINITE : ZERO, i < 0, 0, i < 0 ? -(bits)i : (bits)i};

    if (i)
        normalise(&p);
    return put_together(p);
}

int soft_less(soft_double a, soft_double b)
{
    struct parts p = taken_apart(a), q = taken_apart(b);

    if (p.kind >= QUIET || q.kind >= QUIET) {
        raised |= INVALID;
        return 0;
    }
    if (p.kind == ZERO && q.kind == ZERO)
        return 0;
    if (p.negative != q.negative)
        return p.negative;
    return p.negative ? b < a : a < b;
}
