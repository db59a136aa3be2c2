/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 16 bits as they lie in memory: `_Float16` (IEEE 754 binary16) and `__bf16` (the upper
 * half of a `float`), to and from `float` and `double`; rounded to the nearest, ties to even, as
 * IEEE 754-2019, 5.4.2, has it. A NaN becomes the one quiet NaN without a sign or a payload: which
 * one an operation gives differs from processor to processor. */
#include <stdint.h>
#include <string.h>

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* `x` as a float whose last bit says that something was cut off: rounded once more, to fewer bits, it
 * is what `x` itself rounds to. */
static float to_odd(double x)
{
    float near = (float)x;
    uint32_t bits = bits_of(near);
    if (near == x || x != x || (bits & 1))
        return near;
    double far = near < 0 ? -(double)near : near, wanted = x < 0 ? -x : x;
    return of_bits(far < wanted ? bits + 1 : bits - 1);
}

float tandem_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31)
        return of_bits(sign | 0x7f800000 | (fraction ? 0x400000 : 0) | fraction << 13);
    if (exponent)
        return of_bits(sign | (exponent + 112) << 23 | fraction << 13);
    if (!fraction)
        return of_bits(sign);
    uint32_t up = (uint32_t)__builtin_clz(fraction) - 21; /* until bit 10 is set */
    return of_bits(sign | (113 - up) << 23 | (fraction << up & 1023) << 13);
}

uint16_t tandem_float_to_half(float x)
{
    uint32_t bits = bits_of(x), rest = bits & 0x7fffffff;
    uint16_t sign = bits >> 16 & 0x8000;
    if (rest > 0x7f800000)
        return 0x7e00;
    if (rest >= 0x477ff000) /* rounds to 2^16 or more */
        return sign | 0x7c00;
    if (rest >= 0x38800000) { /* 2^-14, the least normal one */
        uint32_t less = rest - (112u << 23);
        return sign | (less + 0xfff + (less >> 13 & 1)) >> 13;
    }
    uint32_t down = 126 - (rest >> 23); /* to units of 2^-24 */
    if (down > 25)
        return sign;
    uint32_t whole = (rest & 0x7fffff) | 0x800000, left = whole & ((1u << down) - 1), middle = 1u << (down - 1);
    whole >>= down;
    return sign | (whole + (left > middle || (left == middle && (whole & 1))));
}

uint16_t tandem_double_to_half(double x)
{
    return tandem_float_to_half(to_odd(x));
}

float tandem_bfloat_to_float(uint16_t bfloat)
{
    uint32_t bits = (uint32_t)bfloat << 16;
    return of_bits((bits & 0x7fffffff) > 0x7f800000 ? bits | 0x400000 : bits);
}

uint16_t tandem_float_to_bfloat(float x)
{
    uint32_t bits = bits_of(x);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fc0;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

uint16_t tandem_double_to_bfloat(double x)
{
    return tandem_float_to_bfloat(to_odd(x));
}
