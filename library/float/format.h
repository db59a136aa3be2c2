/* SPDX-License-Identifier: Apache-2.0
 * What the operators of both formats share: the fields of a word, shifts, and rounding.
 *
 * Every function is written once for both formats and takes the format as a constant, so that
 * nothing of it is left in hardware. `wide` holds 128 bits; hardware gets as many of them as are
 * not known to be 0. What is called aligned has its highest bit in the highest one of `wide`.
 *
 * A shift by any number of places is one choice a bit of that number, written out: in a loop, the
 * optimiser turns the choice between a value and a shifted one into a shift by either number. */
#ifndef FLOAT_FORMAT_H
#define FLOAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* Part of its callers: there is no hardware for all of its calls to share. */
#define INLINE static inline __attribute__((always_inline))

typedef unsigned __int128 wide;

#define WIDE_BITS 128

typedef struct {
    int exponent_bits, fraction_bits;
} format;

static const format F32 = {8, 23}, F64 = {11, 52};

/* -- the fields of a word ---------------------------------------------------------------------- */

INLINE uint64_t low_bits(int count) { return ~UINT64_C(0) >> (64 - count); }

INLINE int word_bits(format f) { return 1 + f.exponent_bits + f.fraction_bits; }

/* The exponent of infinities and NaNs. */
INLINE int top_exponent(format f) { return (1 << f.exponent_bits) - 1; }

/* The exponent of 1. */
INLINE int bias(format f) { return top_exponent(f) >> 1; }

INLINE bool sign_of(format f, uint64_t x) { return x >> (word_bits(f) - 1) & 1; }

INLINE uint64_t magnitude_of(format f, uint64_t x) { return x & low_bits(word_bits(f) - 1); }

INLINE uint64_t fraction_of(format f, uint64_t x) { return x & low_bits(f.fraction_bits); }

INLINE int exponent_of(format f, uint64_t x)
{
    return x >> f.fraction_bits & low_bits(f.exponent_bits);
}

INLINE bool is_normal_or_more(format f, uint64_t x) { return exponent_of(f, x) != 0; }

INLINE bool is_infinite_or_nan(format f, uint64_t x)
{
    return exponent_of(f, x) == top_exponent(f);
}

INLINE bool is_nan(format f, uint64_t x)
{
    return is_infinite_or_nan(f, x) & (fraction_of(f, x) != 0);
}

INLINE bool is_zero(format f, uint64_t x) { return magnitude_of(f, x) == 0; }

/* The exponent that says what the significand counts: subnormal numbers have that of the least
 * normal ones. */
INLINE int scale_of(format f, uint64_t x)
{
    return exponent_of(f, x) | !is_normal_or_more(f, x);
}

/* The fraction behind its leading bit. */
INLINE uint64_t significand_of(format f, uint64_t x)
{
    return (uint64_t)is_normal_or_more(f, x) << f.fraction_bits | fraction_of(f, x);
}

INLINE uint64_t with_sign(format f, bool sign, uint64_t magnitude)
{
    return (uint64_t)sign << (word_bits(f) - 1) | magnitude;
}

INLINE uint64_t quiet_nan(format f)
{
    return (uint64_t)top_exponent(f) << f.fraction_bits | UINT64_C(1) << (f.fraction_bits - 1);
}

/* -- shifts ------------------------------------------------------------------------------------ */

INLINE bool top_bit(wide x) { return x >> (WIDE_BITS - 1); }

/* One step to the right; `lost` tells that some bit went that was set. */
INLINE wide right_step(wide x, bool moves, int step, bool *lost)
{
    *lost |= moves & ((x & (((wide)1 << step) - 1)) != 0);
    return moves ? x >> step : x;
}

/* `x`, of less than `bits` bits, shifted right, or out of sight if `all` is set. */
INLINE wide shifted_right(int bits, wide x, int places, bool all, bool *lost)
{
    if (bits > 64)
        x = right_step(x, all | (places >> 6 & 1), 64, lost);
    if (bits > 32)
        x = right_step(x, all | (places >> 5 & 1), 32, lost);
    x = right_step(x, all | (places >> 4 & 1), 16, lost);
    x = right_step(x, all | (places >> 3 & 1), 8, lost);
    x = right_step(x, all | (places >> 2 & 1), 4, lost);
    x = right_step(x, all | (places >> 1 & 1), 2, lost);
    return right_step(x, all | (places & 1), 1, lost);
}

/* The same with the lowest bit also set if any other was lost. */
INLINE wide jammed_right(int bits, wide x, int places, bool all)
{
    bool lost = false;
    x = shifted_right(bits, x, places, all, &lost);
    return x | lost;
}

/* One step to the left, of whose result only the `read` highest bits matter; `lost` tells that some
 * other one is set. */
INLINE wide left_step(wide x, bool moves, int step, int read, bool *lost)
{
    x = moves ? x << step : x;
    *lost |= (x << read) != 0;
    return x >> (WIDE_BITS - read) << (WIDE_BITS - read);
}

/* The leading zeros of a word, as many as it has bits less one if it is 0. */
INLINE int leading_zeros(int bits, uint64_t x)
{
    const bool none32 = bits > 32 && x >> 32 == 0;
    const uint32_t x32 = bits > 32 && !none32 ? x >> 32 : x;
    const bool none16 = x32 >> 16 == 0;
    const uint16_t x16 = none16 ? x32 : x32 >> 16;
    const bool none8 = x16 >> 8 == 0;
    const uint8_t x8 = none8 ? x16 : x16 >> 8;
    const bool none4 = x8 >> 4 == 0;
    const uint8_t x4 = none4 ? x8 & 15 : x8 >> 4;
    const bool none2 = x4 >> 2 == 0;
    const bool none1 = !(none2 ? x4 & 2 : x4 & 8);
    return none32 << 5 | none16 << 4 | none8 << 3 | none4 << 2 | none2 << 1 | none1;
}

/* Those of a significand. */
INLINE int leading_zeros_of(format f, uint64_t significand)
{
    return leading_zeros(word_bits(f), significand << f.exponent_bits);
}

/* -- normalising ------------------------------------------------------------------------------- */

/* A value on its way to the left, until its highest bit is set or it has gone `limit` places.
 *
 * Whether groups of 4, 8 ... bits hold any that is set is known from the start, and chosen like the
 * value itself: no step waits for what the one before has chosen of the value. The places that are
 * wanted and the limit are compared on the way, highest bit first: `less` and `more` tell how the
 * wanted ones are found to compare with it so far. */
typedef struct {
    wide value, any64, any32, any16, any8, any4;
    int limit;
    bool less, more;
    bool moved[7];
    int steps;
} normaliser;

INLINE void normalise_step(normaliser *n, bool any, int step)
{
    const bool wanted = !any, allowed = n->limit & step;
    const bool moves = (allowed | n->less) & (wanted | n->more);
    const bool less = n->less | (allowed & !wanted & !n->more);
    const bool more = n->more | (wanted & !allowed & !n->less);
    n->less = less;
    n->more = more;
    n->value = moves ? n->value << step : n->value;
    n->any32 = wanted ? n->any32 << step : n->any32;
    n->any16 = wanted ? n->any16 << step : n->any16;
    n->any8 = wanted ? n->any8 << step : n->any8;
    n->any4 = wanted ? n->any4 << step : n->any4;
    n->moved[n->steps++] = moves;
}

/* `x`, of up to `bits` bits and aligned, without its leading zeros, but at most `limit` of them. */
INLINE normaliser normalised(int bits, wide x, int limit)
{
    normaliser n = {.value = x, .limit = limit, .less = (limit & ~(bits - 1)) != 0};
    n.any4 = x | x << 1;
    n.any4 |= n.any4 << 2;
    n.any8 = n.any4 | n.any4 << 4;
    n.any16 = n.any8 | n.any8 << 8;
    n.any32 = n.any16 | n.any16 << 16;
    n.any64 = n.any32 | n.any32 << 32;
    if (bits > 64)
        normalise_step(&n, top_bit(n.any64), 64);
    if (bits > 32)
        normalise_step(&n, top_bit(n.any32), 32);
    normalise_step(&n, top_bit(n.any16), 16);
    normalise_step(&n, top_bit(n.any8), 8);
    normalise_step(&n, top_bit(n.any4), 4);
    normalise_step(&n, top_bit(n.value | n.value << 1), 2);
    normalise_step(&n, top_bit(n.value), 1);
    return n;
}

/* How far the value has gone. In a loop: the optimiser makes a chain of sums of anything else. */
INLINE int places_of(const normaliser *n)
{
    int places = 0;
    for (int i = 0; i < n->steps; i++)
        places = places << 1 | n->moved[i];
    return places;
}

/* Whether no bit of the value is set. */
INLINE bool is_nothing(const normaliser *n) { return !top_bit(n->any64 | n->any64 << 64); }

/* -- rounding ---------------------------------------------------------------------------------- */

/* A number before it is rounded: 2^(exponent - bias) * significand, aligned; without its leading
 * bit if the exponent is that of subnormal numbers. */
typedef struct {
    bool sign, infinite, nan;
    int exponent;
    wide significand;
} exact;

/* To the nearest number of the format, of two to the even one. A fraction that overflows adds one
 * to the exponent, into infinity too. */
INLINE uint64_t rounded(format f, exact x)
{
    const int kept_bits = f.fraction_bits + 1;
    const bool special = x.infinite | x.nan;
    const uint64_t nan_fraction = (uint64_t)x.nan << (f.fraction_bits - 1);
    const uint64_t kept = x.significand >> (WIDE_BITS - kept_bits);
    const bool half = top_bit(x.significand << kept_bits);
    const bool rest = (x.significand << (kept_bits + 1)) != 0;
    const bool up = half & (rest | (kept & 1)) & !special;
    const uint64_t fraction = special ? nan_fraction : fraction_of(f, kept);
    const uint64_t exponent = top_bit(x.significand) ? x.exponent : 0;
    const uint64_t top = special ? (uint64_t)top_exponent(f) : exponent;
    return with_sign(f, x.sign & !x.nan, (top << f.fraction_bits | fraction) + up);
}

#endif
