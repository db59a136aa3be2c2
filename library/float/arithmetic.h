/* SPDX-License-Identifier: Apache-2.0
 * Sums and products of both formats. */
#ifndef FLOAT_ARITHMETIC_H
#define FLOAT_ARITHMETIC_H

#include "format.h"

/* Bits behind a significand that is added to: two, and one for all that is lost behind them. That
 * is enough, as a sum loses more than one leading bit only where nothing is lost. */
#define BEHIND 3

/* Whether a shift by so many places leaves nothing of a significand. */
INLINE bool is_far(format f, int places)
{
    return (places & top_exponent(f) & ~(word_bits(f) - 1)) != 0;
}

/* a + b: the smaller number comes under the larger one, whose sign the sum has. */
INLINE uint64_t sum(format f, uint64_t a, uint64_t b)
{
    const bool swap = magnitude_of(f, a) < magnitude_of(f, b);
    const bool sign_a = sign_of(f, a), sign_b = sign_of(f, b), subtract = sign_a ^ sign_b;
    const int scale_a = scale_of(f, a), scale_b = scale_of(f, b), scale = swap ? scale_b : scale_a;
    const int a_to_b = scale_a - scale_b, b_to_a = scale_b - scale_a;
    const int places = swap ? b_to_a : a_to_b;
    const bool far = swap ? is_far(f, b_to_a) : is_far(f, a_to_b);
    const wide sig_a = significand_of(f, a), sig_b = significand_of(f, b);
    const wide x = (swap ? sig_b : sig_a) << BEHIND;
    const wide y = jammed_right(word_bits(f), (swap ? sig_a : sig_b) << BEHIND, places, far);
    /* -y is ~y + 1, and the lowest bit of x is free for the one. */
    const wide total = (x | subtract) + (subtract ? ~y : y);
    const wide aligned = total << (WIDE_BITS - f.fraction_bits - 2 - BEHIND);
    const normaliser n = normalised(word_bits(f), aligned, scale);
    const bool special_a = is_infinite_or_nan(f, a), special_b = is_infinite_or_nan(f, b);
    const bool special = special_a | special_b;
    const bool has_fraction = fraction_of(f, swap ? b : a) != 0;
    return rounded(f, (exact){
        .sign = is_nothing(&n) ? sign_a & sign_b : swap ? sign_b : sign_a,
        .nan = (special_a & special_b & subtract) | (special & has_fraction),
        .infinite = special | ((scale == top_exponent(f) - 1) & top_bit(aligned)),
        .exponent = scale + 1 - places_of(&n),
        .significand = n.value,
    });
}

/* A value with `zeros` leading zeros, or one more, and the scale that its highest bit has, which
 * may be less than the least of the format: shifted left by as many places as the scale allows, or
 * else right. It starts as far right as matters, so that there is one way to go. */
INLINE exact placed(format f, wide x, int zeros, int scale)
{
    const int bits = word_bits(f), read = f.fraction_bits + 3;
    const int most = scale < -bits ? 0 : scale >= bits ? 2 * bits - 1 : scale + bits;
    const bool limited = zeros + bits >= most;
    const int places = limited ? most : zeros + bits;
    bool lost = !(places & bits) & ((x << (WIDE_BITS - bits)) != 0);
    x = left_step(places & bits ? x : x >> bits, false, 0, read + bits - 1, &lost);
    if (bits > 32)
        x = left_step(x, places >> 5 & 1, 32, read + 31, &lost);
    x = left_step(x, places >> 4 & 1, 16, read + 15, &lost);
    x = left_step(x, places >> 3 & 1, 8, read + 7, &lost);
    x = left_step(x, places >> 2 & 1, 4, read + 3, &lost);
    x = left_step(x, places >> 1 & 1, 2, read + 1, &lost);
    x = left_step(x, places & 1, 1, read, &lost);
    /* With its highest bit set the exponent is one more. */
    const int one_less = limited ? 0 : scale - zeros;
    const int one_more = limited ? 1 : scale + 1 - zeros;
    const bool top = top_bit(x), again = !top & !limited;
    return (exact){
        .infinite = (top ? one_more : one_less) >= top_exponent(f),
        .exponent = top ? one_more : one_less,
        .significand = (again ? x << 1 : x) | lost,
    };
}

/* a * b. At most one of two factors is subnormal where the product is not next to nothing. */
INLINE uint64_t product(format f, uint64_t a, uint64_t b)
{
    const uint64_t sig_a = significand_of(f, a), sig_b = significand_of(f, b);
    const wide x = (wide)sig_a * sig_b << (WIDE_BITS - 2 * (f.fraction_bits + 1));
    const int scale = scale_of(f, a) + scale_of(f, b) - bias(f);
    const int zeros = leading_zeros_of(f, is_normal_or_more(f, a) ? sig_b : sig_a);
    const bool special_a = is_infinite_or_nan(f, a), special_b = is_infinite_or_nan(f, b);
    const bool undefined = (special_a & is_zero(f, b)) | (is_zero(f, a) & special_b);
    exact result = placed(f, x, zeros, scale);
    result.sign = sign_of(f, a) ^ sign_of(f, b);
    result.infinite |= special_a | special_b;
    result.nan = is_nan(f, a) | is_nan(f, b) | undefined;
    return rounded(f, result);
}

/* a * b + c: the sum of the exact product, of twice the bits, and the third number; the one with
 * the lower scale comes under the other one. A product of subnormal factors may be the smaller one
 * all the same: what is lost of the third number behind it matters as little, since such a product
 * has no more bits set than a result has. */
INLINE uint64_t fused(format f, uint64_t a, uint64_t b, uint64_t c)
{
    const int product_bits = 2 * (f.fraction_bits + 1), bits = 2 * word_bits(f);
    const wide ab = (wide)significand_of(f, a) * significand_of(f, b) << BEHIND;
    const wide addend = (wide)significand_of(f, c) << (f.fraction_bits + 1 + BEHIND);
    const int scale_ab = scale_of(f, a) + scale_of(f, b) - bias(f) + 1, scale_c = scale_of(f, c);
    const bool sign_ab = sign_of(f, a) ^ sign_of(f, b), sign_c = sign_of(f, c);
    const bool subtract = sign_ab ^ sign_c, zero_a = is_zero(f, a), zero_b = is_zero(f, b);
    const bool swap = (scale_ab < scale_c) | zero_a | zero_b;
    const int scale = swap ? scale_c : scale_ab;
    const int places = swap ? scale_c - scale_ab : scale_ab - scale_c;
    const wide x = swap ? addend : ab;
    const wide y = jammed_right(bits, swap ? ab : addend, places, places >= bits);
    const wide total = (x | subtract) + (subtract ? ~y : y), opposite = y - x;
    const bool turns = subtract & !top_bit(opposite);
    const wide aligned = (turns ? opposite : total) << (WIDE_BITS - product_bits - 1 - BEHIND);
    const normaliser n = normalised(bits, aligned, scale);
    const int exponent = scale + 1 - places_of(&n);
    const bool special_a = is_infinite_or_nan(f, a), special_b = is_infinite_or_nan(f, b);
    const bool special_ab = special_a | special_b, special_c = is_infinite_or_nan(f, c);
    const bool undefined = (special_a & zero_b) | (zero_a & special_b);
    const bool sign = is_nothing(&n) ? sign_ab & sign_c : (swap ? sign_c : sign_ab) ^ turns;
    return rounded(f, (exact){
        .sign = special_ab ? sign_ab : special_c ? sign_c : sign,
        .nan = is_nan(f, a) | is_nan(f, b) | is_nan(f, c) | undefined |
               (special_ab & special_c & subtract),
        .infinite = special_ab | special_c | ((exponent >= top_exponent(f)) & top_bit(n.value)),
        .exponent = exponent,
        .significand = n.value,
    });
}

#endif
