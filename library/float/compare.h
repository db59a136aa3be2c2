/* SPDX-License-Identifier: Apache-2.0
 * Comparisons of both formats: bit patterns are in the order of the numbers, once signs are dealt
 * with. */
#ifndef FLOAT_COMPARE_H
#define FLOAT_COMPARE_H

#include "format.h"

INLINE bool is_ordered(format f, uint64_t a, uint64_t b)
{
    return !is_nan(f, a) & !is_nan(f, b);
}

INLINE bool is_same(format f, uint64_t a, uint64_t b)
{
    return is_ordered(f, a, b) & ((a == b) | (magnitude_of(f, a | b) == 0));
}

INLINE bool is_less(format f, uint64_t a, uint64_t b)
{
    const bool sign_a = sign_of(f, a), sign_b = sign_of(f, b);
    const bool some = magnitude_of(f, a | b) != 0;
    const bool less = sign_a ^ sign_b ? sign_a & some : (a < b) ^ (sign_a & (a != b));
    return is_ordered(f, a, b) & less;
}

INLINE bool is_less_or_same(format f, uint64_t a, uint64_t b)
{
    return is_ordered(f, a, b) & !is_less(f, b, a);
}

#endif
