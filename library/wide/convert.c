/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits, in two halves, to and from `float` and `double`: rounded to the nearest, ties
 * to even, as IEEE 754-2019, 5.4.1, has it; towards zero from there. */
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 wide;

/* 2 to the power of 0 to 64. */
static double power(int exponent)
{
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The highest 64 bits from the first one on, the last of which says that something was cut off: to
 * fewer bits it rounds as the number does. Of `x` not below 2^64; so many bits are gone. */
static uint64_t highest(wide x, int *gone)
{
    int up = __builtin_clzll((uint64_t)(x >> 64));
    *gone = 64 - up;
    x <<= up;
    return (uint64_t)(x >> 64) | ((uint64_t)x != 0);
}

static double to_double(wide x)
{
    int gone;
    if (!(x >> 64))
        return (double)(uint64_t)x;
    uint64_t top = highest(x, &gone);
    return (double)top * power(gone);
}

static float to_float(wide x)
{
    int gone;
    if (!(x >> 64))
        return (float)(uint64_t)x;
    uint64_t top = highest(x, &gone);
    return (float)((double)(float)top * power(gone));
}

static wide joined(uint64_t high, uint64_t low) { return (wide)high << 64 | low; }

double tandem_unsigned_to_double(uint64_t high, uint64_t low) { return to_double(joined(high, low)); }

float tandem_unsigned_to_float(uint64_t high, uint64_t low) { return to_float(joined(high, low)); }

double tandem_signed_to_double(uint64_t high, uint64_t low)
{
    return high >> 63 ? -to_double(-joined(high, low)) : to_double(joined(high, low));
}

float tandem_signed_to_float(uint64_t high, uint64_t low)
{
    return high >> 63 ? -to_float(-joined(high, low)) : to_float(joined(high, low));
}

/* Of a number that fits, signed or not. */
static wide from_double(double x)
{
    uint64_t bits, fraction;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 2047) - 1075;
    fraction = (bits & ((1ull << 52) - 1)) | 1ull << 52;
    if (exponent < -52)
        return 0;
    wide whole = exponent < 0 ? fraction >> -exponent : (wide)fraction << (exponent & 127);
    return bits >> 63 ? -whole : whole;
}

uint64_t tandem_double_to_high(double x) { return (uint64_t)(from_double(x) >> 64); }

uint64_t tandem_double_to_low(double x) { return (uint64_t)from_double(x); }
