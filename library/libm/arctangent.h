/* SPDX-License-Identifier: Apache-2.0
 * The angle of a point. */
#ifndef LIBM_ARCTANGENT_H
#define LIBM_ARCTANGENT_H

#include "atan_tables.h"
#include "root.h"

/* A point, by the size and sign of both of its coordinates. */
typedef struct {
    floating x, y;
    bool x_sign, y_sign;
} point;

/* 1 - atan(z) / z, Q64, for a z, Q63, below 2^-5.9. */
INLINE uint64_t atan_less(format f, uint64_t z)
{
    const int fewer = fewer_bits(f) ? 18 : 0;
    const uint64_t v = product(z & low_bits(58), 4 + fewer, z & low_bits(58), 4 + fewer, 62) & low_bits(54);
    if (fewer)
        return product(v, 18, ATAN_SERIES_2[0] - product(v, 36, ATAN_SERIES_2[1], 46, 64), 28, 64);
    const uint64_t third = ATAN_SERIES_4[2] - product(v, 36, ATAN_SERIES_4[3], 46, 64);
    const uint64_t second = ATAN_SERIES_4[1] - product(v, 18, third, 28, 64);
    const uint64_t first = ATAN_SERIES_4[0] - product(v, 18, second, 28, 64);
    return product(v, 0, first, 10, 64);
}

INLINE uint64_t moved_by_any(uint64_t x, int places)
{
    return places > 63 ? 0 : (uint64_t)moved_right(x, places, 6);
}

/* A quarter or half of a turn, or none, and an angle from there. */
INLINE uint64_t angle_in_all(format f, point p, bool swap, wide angle)
{
    const wide from = swap ? HALF_PI : p.x_sign ? WHOLE_PI : 0;
    const wide all = swap ^ p.x_sign ? from - angle : from + angle; /* Q64, from 2^-7 to pi */
    const normaliser n = normalised(128, all << 62, 8);
    return nearest(f, p.y_sign, 1 - places_of(&n), (uint64_t)(n.value >> 64));
}

/* The angle of a point whose smaller coordinate counts as nothing if `flat`.
 *
 * Of the ratio q of its smaller and its larger coordinate, t is the nearest 32nd, so that
 * atan(q) = atan(t) + atan(z), z = (q - t) / (1 + q * t). Where t is 0, z keeps all of its bits: it
 * may be all there is. */
INLINE uint64_t angle_of_point(format f, point p, bool swap, bool flat)
{
    const floating small = swap ? p.x : p.y, large = swap ? p.y : p.x;
    const int apart = large.exponent - small.exponent;
    const uint64_t along = large.significand >> 1, across = moved_by_any(small.significand >> 1, apart);
    const uint64_t ratio = (across >> 45) * root_guess(1, 0, large.significand); /* Q34 */
    const unsigned t = flat ? 0 : (unsigned)((ratio + (1 << 28)) >> 29) & 63;

    const uint64_t divisor = along + (uint64_t)((wide)across * t >> 5);
    const signed_wide over = ((signed_wide)across << 5) - (signed_wide)along * t; /* Q67 */
    const bool below = over < 0, is_2 = divisor >> 63;
    const uint64_t dividend = t ? (uint64_t)((below ? -over : over) >> 4) : small.significand;
    const uint64_t z = quotient(f, flat ? 0 : dividend, is_2 ? divisor : divisor << 1);

    const int down = t ? is_2 : apart;
    const uint64_t less = atan_less(f, moved_by_any(z, down));
    const uint64_t angle = z - (fewer_bits(f) ? product(z, 28, less, 18, 64) : product(z, 10, less, 0, 64));
    const wide rest = (wide)moved_by_any(angle, down) << 1;
    const wide whole = below & (t != 0) ? ATAN_5[t] - rest : ATAN_5[t] + rest;
    const bool alone = !p.x_sign & !swap & (t == 0);
    const floating normal_angle = normal_62(-down - 1, angle);
    const uint64_t by_itself = nearest(f, p.y_sign, normal_angle.exponent, normal_angle.significand);
    return alone ? by_itself : angle_in_all(f, p, swap, whole);
}

/* Of two numbers, none of which is a NaN. */
INLINE uint64_t angle_of_numbers(format f, uint64_t y, uint64_t x)
{
    const bool swap = magnitude_of(f, x) < magnitude_of(f, y);
    const bool flat = is_zero(f, swap ? x : y) | (is_infinite_or_nan(f, x) ^ is_infinite_or_nan(f, y));
    const point p = {normal(f, x), normal(f, y), sign_of(f, x), sign_of(f, y)};
    return angle_of_point(f, p, swap, flat);
}

#endif
