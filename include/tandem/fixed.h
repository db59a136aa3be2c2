// SPDX-License-Identifier: Apache-2.0
// Numbers with a fixed point: integers that count parts of 2^-FRACTION.
//
//     TANDEM_FIXED(q16, int32_t, int64_t, 16)               // a type `q16`: 16 bits before the point
//
//     q16 half = q16_of(0.5), x = q16_of_int(3);
//     double y = q16_double(q16_mul(half, x));              // 1.5
//
// Plain C for any compiler, in software and in hardware bit by bit the same. A number that is out of
// range wraps, as unsigned integers do; `_saturated` sums stop at the ends. WIDE is a signed type of
// twice the bits of TYPE, which is signed too; FRACTION is from 1 to the bits of TYPE less one.
#ifndef TANDEM_FIXED_H
#define TANDEM_FIXED_H

#include <stdbool.h>
#include <stdint.h>

#define TANDEM_FIXED_WORD_ __attribute__((unused)) static inline

// NAME_of(x)               nearest to a double, halves away from zero; x must be in range
// NAME_of_int(x)           an integer
// NAME_double(a)           the number as a double; exact where TYPE has at most 53 bits
// NAME_int(a)              rounded downwards
// NAME_add, _sub, _neg     exact but for wrapping
// NAME_mul(a, b)           nearest, halves upwards
// NAME_div(a, b)           towards zero; b must not be 0
// NAME_add_saturated, _sub_saturated
// NAME_less, _equal        order
#define TANDEM_FIXED(NAME, TYPE, WIDE, FRACTION)                                                   \
    typedef struct {                                                                               \
        TYPE parts;                                                                                \
    } NAME;                                                                                        \
    typedef char NAME##_is_wide[sizeof(WIDE) >= 2 * sizeof(TYPE) ? 1 : -1];                        \
    TANDEM_FIXED_WORD_ NAME NAME##_of_parts(WIDE parts) {                                          \
        NAME made = {(TYPE)parts};                                                                 \
        return made;                                                                               \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_clipped_(WIDE parts) {                                          \
        WIDE end = (WIDE)1 << (8 * sizeof(TYPE) - 1);                                              \
        return NAME##_of_parts(parts < -end ? -end : parts >= end ? end - 1 : parts);              \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_of(double x) {                                                  \
        double scaled = x * (double)((WIDE)1 << (FRACTION));                                       \
        return NAME##_of_parts((WIDE)(scaled < 0 ? scaled - 0.5 : scaled + 0.5));                  \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_of_int(TYPE x) {                                                \
        return NAME##_of_parts((WIDE)x * ((WIDE)1 << (FRACTION)));                                 \
    }                                                                                              \
    TANDEM_FIXED_WORD_ double NAME##_double(NAME a) {                                              \
        return (double)a.parts / (double)((WIDE)1 << (FRACTION));                                  \
    }                                                                                              \
    TANDEM_FIXED_WORD_ TYPE NAME##_int(NAME a) { return (TYPE)(a.parts >> (FRACTION)); }           \
    TANDEM_FIXED_WORD_ NAME NAME##_add(NAME a, NAME b) {                                           \
        return NAME##_of_parts((WIDE)a.parts + b.parts);                                           \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_sub(NAME a, NAME b) {                                           \
        return NAME##_of_parts((WIDE)a.parts - b.parts);                                           \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_neg(NAME a) { return NAME##_of_parts(-(WIDE)a.parts); }         \
    TANDEM_FIXED_WORD_ NAME NAME##_mul(NAME a, NAME b) {                                           \
        WIDE product = (WIDE)a.parts * b.parts;                                                    \
        return NAME##_of_parts((product + ((WIDE)1 << ((FRACTION) - 1))) >> (FRACTION));           \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_div(NAME a, NAME b) {                                           \
        return NAME##_of_parts((WIDE)a.parts * ((WIDE)1 << (FRACTION)) / b.parts);                 \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_add_saturated(NAME a, NAME b) {                                 \
        return NAME##_clipped_((WIDE)a.parts + b.parts);                                           \
    }                                                                                              \
    TANDEM_FIXED_WORD_ NAME NAME##_sub_saturated(NAME a, NAME b) {                                 \
        return NAME##_clipped_((WIDE)a.parts - b.parts);                                           \
    }                                                                                              \
    TANDEM_FIXED_WORD_ bool NAME##_less(NAME a, NAME b) { return a.parts < b.parts; }              \
    TANDEM_FIXED_WORD_ bool NAME##_equal(NAME a, NAME b) { return a.parts == b.parts; }

#endif
