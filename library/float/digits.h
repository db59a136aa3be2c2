/* SPDX-License-Identifier: Apache-2.0
 * Quotients and square roots of both formats, 12 to 14 bits a step.
 *
 * A step multiplies what is left by the reciprocal, known to 16 bits, for the next digit of the
 * result, and takes off what that digit stands for, exactly. Digits have signs, so they need not be
 * the right ones: each leaves less than a unit of its own, of either sign, and the next one makes
 * up for it. Behind the last one, the sign of what is left says whether the result is one less. */
#ifndef FLOAT_DIGITS_H
#define FLOAT_DIGITS_H

#include "arithmetic.h"

#define DIGIT_BITS 14

/* 2^9 / x - 256 for the middle of each 64th from 1 to 2. */
static const uint8_t reciprocals[64] = {
    252, 244, 237, 229, 222, 215, 209, 202, 196, 190, 184, 178, 172, 167, 161, 156,
    151, 146, 141, 136, 132, 127, 123, 118, 114, 110, 106, 102, 98, 94, 91, 87,
    84, 80, 77, 73, 70, 67, 64, 61, 58, 55, 52, 49, 46, 43, 41, 38,
    35, 33, 30, 28, 25, 23, 21, 18, 16, 14, 11, 9, 7, 5, 3, 1,
};

/* 2^9 / sqrt(x) - 256 for the middle of each 64th from 1 to 2, and of each 32nd from 2 to 4. */
static const uint8_t root_reciprocals[128] = {
    254, 250, 246, 243, 239, 235, 232, 228, 225, 222, 219, 215, 212, 209, 206, 203,
    201, 198, 195, 192, 190, 187, 184, 182, 179, 177, 175, 172, 170, 168, 165, 163,
    161, 159, 157, 155, 153, 151, 149, 147, 145, 143, 141, 139, 137, 135, 134, 132,
    130, 128, 127, 125, 123, 122, 120, 119, 117, 116, 114, 113, 111, 110, 108, 107,
    105, 102, 99, 97, 94, 91, 89, 87, 84, 82, 80, 77, 75, 73, 71, 69,
    67, 65, 63, 61, 59, 57, 55, 54, 52, 50, 48, 47, 45, 44, 42, 40,
    39, 37, 36, 34, 33, 31, 30, 29, 27, 26, 25, 23, 22, 21, 20, 18,
    17, 16, 15, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
};

/* A number that has no more bits than these, the highest of them its sign: that is said here, so
 * that operators are no wider. */
INLINE int64_t signed_bits(uint64_t x, int bits)
{
    return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/* 2^17 / x, less than 2^17, from the 18 highest bits of x, which are 1 and 17 behind the point;
 * with a relative error of less than 2^-16.5, as trying all has shown. The number from the table is
 * (1 - e) / x, and 1 / (1 - e) is 1 + e + e^2, but for the cube. */
INLINE int64_t reciprocal(uint64_t high)
{
    const int64_t guess = 256 + reciprocals[high >> 11 & 63];
    const int64_t e = signed_bits((INT64_C(1) << 27) - (int64_t)(2 * high + 1) * guess, 22) >> 6;
    const int64_t more = signed_bits(e + (e * e >> 21), 16);
    return ((guess << 8) + ((guess * more + (1 << 12)) >> 13)) & low_bits(17);
}

/* 2^17 / sqrt(x), less than 2^17, from the 17 highest bits of x, which are 2 and 15 behind the
 * point; with a relative error of less than 2^-16.3. The number from the table is
 * sqrt((1 - e) / x), and 1 / sqrt(1 - e) is 1 + e/2 + 3/8 e^2. */
INLINE int64_t root_reciprocal(uint64_t high)
{
    const bool from_two = high >> 16;
    const uint64_t place = (from_two ? high >> 10 : high >> 9) & 63;
    const int64_t guess = 256 + root_reciprocals[from_two << 6 | place];
    const int64_t product = (int64_t)(2 * high + 1) * (guess * guess);
    const int64_t e = signed_bits((INT64_C(1) << 34) - product, 29) >> 13;
    const int64_t more = signed_bits(e + 3 * (e * e >> 23), 16);
    return ((guess << 8) + ((guess * more + (1 << 13)) >> 14)) & low_bits(17);
}

/* The digit of `bits` bits for what is left, whose highest bits are given: the nearest one for the
 * middle of what the bits below may be. */
INLINE int64_t digit(int64_t high, int64_t reciprocal, int bits)
{
    const int cut = 33 - bits;
    const int64_t product = high * reciprocal + 3 * (1 << DIGIT_BITS) + (1 << (cut - 1));
    return signed_bits(product >> cut, DIGIT_BITS + 2);
}

/* The significand with its highest bit set. */
INLINE uint64_t full_significand(format f, uint64_t x, int zeros)
{
    return (significand_of(f, x) << zeros) & low_bits(f.fraction_bits + 1);
}

/* What is left after a digit of so many bits, in units of that digit: less than one divisor. */
INLINE int64_t left_of(format f, int64_t rest, int bits, int64_t next, uint64_t divisor)
{
    const uint64_t left = ((uint64_t)rest << bits) - (uint64_t)next * divisor;
    return signed_bits(left, f.fraction_bits + 2);
}

/* a / b */
INLINE uint64_t quotient(format f, uint64_t a, uint64_t b)
{
    const int steps = f.fraction_bits > 2 * DIGIT_BITS ? 3 : 1;
    const int zeros_a = leading_zeros_of(f, significand_of(f, a));
    const int zeros_b = leading_zeros_of(f, significand_of(f, b));
    const uint64_t divisor = full_significand(f, b, zeros_b);
    const int64_t by = reciprocal(divisor >> (f.fraction_bits - 17));
    int64_t rest = full_significand(f, a, zeros_a);
    int64_t result = digit(rest >> (f.fraction_bits - 16), by, DIGIT_BITS - 1);
    rest = left_of(f, rest, DIGIT_BITS - 1, result, divisor);
    for (int i = 0; i < steps; i++) {
        const int64_t next = digit(rest >> (f.fraction_bits - 16), by, DIGIT_BITS);
        rest = left_of(f, rest, DIGIT_BITS, next, divisor);
        result = result * (1 << DIGIT_BITS) + next;
    }
    const uint64_t below = result - (rest < 0);
    const int below_bits = DIGIT_BITS * (steps + 1);
    const wide x = (wide)below << (WIDE_BITS - below_bits) | (rest != 0);
    const int scale = scale_of(f, a) - zeros_a - scale_of(f, b) + zeros_b + bias(f) - 1;
    exact rounds = placed(f, x, 0, scale);
    const bool special_a = is_infinite_or_nan(f, a), special_b = is_infinite_or_nan(f, b);
    const bool zero_a = is_zero(f, a), zero_b = is_zero(f, b);
    rounds.sign = sign_of(f, a) ^ sign_of(f, b);
    rounds.infinite |= special_a | zero_b;
    rounds.nan = is_nan(f, a) | is_nan(f, b) | (special_a & special_b) | (zero_a & zero_b);
    const bool vanishes = (special_b | zero_a) & !rounds.nan;
    return vanishes ? with_sign(f, rounds.sign, 0) : rounded(f, rounds);
}

/* A square root so far, with `bits` bits behind the point, and how far its square is off, in its
 * last place: (x - result^2) * 2^bits, itself with `behind` bits behind the point. */
typedef struct {
    int64_t result, rest;
    int bits, behind;
} part_of_root;

INLINE part_of_root next_of_root(part_of_root r, int64_t by, int bits)
{
    const int64_t next = digit(r.rest >> (r.behind - 15), by, bits);
    const int64_t longer = r.result * (1 << bits), result = longer + next;
    const uint64_t taken = (uint64_t)next * (uint64_t)(longer + result);
    const uint64_t rest = ((uint64_t)r.rest << bits) - (taken << (r.behind - r.bits - bits));
    const int places = r.bits + bits;
    return (part_of_root){
        .result = result & low_bits(places + 2),
        .rest = signed_bits(rest, r.behind + 4),
        .bits = places,
        .behind = r.behind,
    };
}

/* The square root. The second digit has fewer bits, as its own square counts, too. */
INLINE uint64_t root(format f, uint64_t a)
{
    const int zeros = leading_zeros_of(f, significand_of(f, a));
    const int twice = scale_of(f, a) - zeros + bias(f);
    const uint64_t x = full_significand(f, a, zeros) << (twice & 1);
    const int64_t high = x >> (f.fraction_bits - 15), by = root_reciprocal(high);
    const bool is_long = f.fraction_bits > 2 * DIGIT_BITS;
    const int first_bits = DIGIT_BITS - 1, second_bits = DIGIT_BITS - 2;
    const int behind = first_bits + second_bits + (is_long ? 2 * DIGIT_BITS : 0);
    const int64_t first = (high * by + (1 << 18)) >> 19;
    const uint64_t square = (uint64_t)(first * first) << (behind - first_bits);
    const uint64_t rest = (x << (behind - f.fraction_bits + first_bits)) - square;
    part_of_root r = {first, signed_bits(rest, behind + 4), first_bits, behind};
    r = next_of_root(r, by, second_bits);
    if (is_long) {
        r = next_of_root(r, by, DIGIT_BITS);
        r = next_of_root(r, by, DIGIT_BITS);
    }
    const wide below = (wide)(uint64_t)(r.result - (r.rest < 0)) << (WIDE_BITS - 1 - behind);
    const bool zero = is_zero(f, a);
    const uint64_t rounds = rounded(f, (exact){
        .nan = is_nan(f, a) | (sign_of(f, a) & !zero),
        .infinite = is_infinite_or_nan(f, a),
        .exponent = twice >> 1,
        .significand = below | (r.rest != 0),
    });
    return zero ? a : rounds;
}

#endif
