/* SPDX-License-Identifier: Apache-2.0
 * Conversions between integers and both formats, and to integral numbers. */
#ifndef FLOAT_CONVERT_H
#define FLOAT_CONVERT_H

#include "arithmetic.h"

/* The number nearest to an integer of up to `bits` bits, given by sign and magnitude. */
INLINE uint64_t from_integer(format f, int bits, bool sign, uint64_t magnitude)
{
    const normaliser n = normalised(bits, (wide)magnitude << (WIDE_BITS - bits), top_exponent(f));
    return rounded(f, (exact){
        .sign = sign,
        .exponent = bias(f) + bits - 1 - places_of(&n),
        .significand = n.value,
    });
}

INLINE uint64_t from_signed(format f, int bits, int64_t x)
{
    return from_integer(f, bits, x < 0, (x < 0 ? -(uint64_t)x : (uint64_t)x) & low_bits(bits));
}

/* The magnitude of a number without its fraction, of up to `bits` bits. */
INLINE uint64_t whole_part(format f, int bits, uint64_t a)
{
    const int right = bias(f) + bits - 1 - exponent_of(f, a);
    const wide x = (wide)significand_of(f, a) << (WIDE_BITS - 1 - f.fraction_bits);
    const bool all = (right & ~(bits - 1)) != 0;
    bool lost = false;
    const uint64_t whole = shifted_right(bits, x >> (WIDE_BITS - bits), right, false, &lost);
    return all ? 0 : whole;
}

INLINE uint64_t to_integer(format f, int bits, uint64_t a)
{
    const uint64_t whole = whole_part(f, bits, a);
    return sign_of(f, a) ? -whole : whole;
}

INLINE uint64_t widened(format from, format to, uint64_t a)
{
    const wide x = (wide)significand_of(from, a) << (WIDE_BITS - 1 - from.fraction_bits);
    const normaliser n = normalised(word_bits(from), x, top_exponent(to));
    return rounded(to, (exact){
        .sign = sign_of(from, a),
        .nan = is_nan(from, a),
        .infinite = is_infinite_or_nan(from, a),
        .exponent = scale_of(from, a) - bias(from) + bias(to) - places_of(&n),
        .significand = n.value,
    });
}

INLINE uint64_t narrowed(format from, format to, uint64_t a)
{
    const wide x = (wide)significand_of(from, a) << (WIDE_BITS - 1 - from.fraction_bits);
    exact result = placed(to, x, 0, scale_of(from, a) - bias(from) + bias(to) - 1);
    result.sign = sign_of(from, a);
    result.nan = is_nan(from, a);
    result.infinite = (result.infinite & is_normal_or_more(from, a)) | is_infinite_or_nan(from, a);
    return rounded(to, result);
}

typedef enum { DOWN, UP, TOWARDS_ZERO, NEAREST_AWAY, NEAREST_EVEN } direction;

/* A mask tells the fraction. One more than a number with ones for its fraction is the next integral
 * number, whatever its exponent. Below 1 there are 0 and 1 only. From 1 to 2 the bit above the
 * fraction is the exponent's lowest, which is set as the leading one is. */
INLINE uint64_t integral(format f, direction to, uint64_t a)
{
    const int whole_bits = exponent_of(f, a) - bias(f);
    const bool below_one = whole_bits < 0, is_whole = whole_bits >= f.fraction_bits;
    const bool sign = sign_of(f, a);
    bool lost = false;
    const wide ones = low_bits(f.fraction_bits);
    const uint64_t mask = shifted_right(word_bits(f), ones, whole_bits, false, &lost);
    const uint64_t last = mask ^ (mask >> 1), magnitude = magnitude_of(f, a);
    const bool inexact = below_one ? magnitude != 0 : (magnitude & mask) != 0;
    const bool half = below_one ? whole_bits == -1 : (magnitude & last) != 0;
    const bool rest = below_one ? fraction_of(f, a) != 0 : (magnitude & (mask >> 1)) != 0;
    const bool odd = below_one ? false : (magnitude & (last << 1)) != 0;
    const bool up = to == DOWN           ? sign & inexact
                    : to == UP           ? !sign & inexact
                    : to == NEAREST_AWAY ? half
                    : to == NEAREST_EVEN ? half & (rest | odd)
                                         : false;
    const uint64_t small = up ? (uint64_t)bias(f) << f.fraction_bits : 0;
    const uint64_t large = (up ? magnitude | mask : magnitude & ~mask) + up;
    const uint64_t result = with_sign(f, sign, below_one ? small : large);
    return is_nan(f, a) ? quiet_nan(f) : is_whole ? a : result;
}

#endif
