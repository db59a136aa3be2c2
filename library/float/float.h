/* SPDX-License-Identifier: Apache-2.0
 * IEEE 754 binary32 and binary64 on bit patterns, as integer C that suits hardware: one
 * operation a cycle.
 *
 * Numbers are words as the standard lays them out: binary32 in uint32_t, binary64 in uint64_t.
 * Every result is rounded once, to the nearest number, of two to the even one; subnormal numbers,
 * infinities and signed zeros are exact. A result that is no number is always the same quiet NaN,
 * 0x7fc00000 or 0x7ff8000000000000, whatever NaN an operand was. No flags are raised.
 *
 * The difference of two numbers is their sum with the sign of the second one flipped. */
#ifndef TANDEM_FLOAT_H
#define TANDEM_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

uint32_t f32_add(uint32_t a, uint32_t b);
uint32_t f32_mul(uint32_t a, uint32_t b);
uint32_t f32_div(uint32_t a, uint32_t b);
uint32_t f32_sqrt(uint32_t a);
uint64_t f64_add(uint64_t a, uint64_t b);
uint64_t f64_mul(uint64_t a, uint64_t b);
uint64_t f64_div(uint64_t a, uint64_t b);
uint64_t f64_sqrt(uint64_t a);

/* a * b + c, rounded once. */
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c);
uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c);

/* Comparisons, false where an operand is a NaN. The two zeros are equal. */
bool f32_eq(uint32_t a, uint32_t b);
bool f32_lt(uint32_t a, uint32_t b);
bool f32_le(uint32_t a, uint32_t b);
bool f64_eq(uint64_t a, uint64_t b);
bool f64_lt(uint64_t a, uint64_t b);
bool f64_le(uint64_t a, uint64_t b);

/* The number nearest to an integer. */
uint32_t f32_from_i32(int32_t a);
uint32_t f32_from_u32(uint32_t a);
uint32_t f32_from_i64(int64_t a);
uint32_t f32_from_u64(uint64_t a);
uint64_t f64_from_i32(int32_t a);
uint64_t f64_from_u32(uint32_t a);
uint64_t f64_from_i64(int64_t a);
uint64_t f64_from_u64(uint64_t a);

/* The integer that is left without the fraction. What does not fit, and a NaN, gives any integer,
 * as C leaves it undefined. */
int32_t i32_from_f32(uint32_t a);
uint32_t u32_from_f32(uint32_t a);
int64_t i64_from_f32(uint32_t a);
uint64_t u64_from_f32(uint32_t a);
int32_t i32_from_f64(uint64_t a);
uint32_t u32_from_f64(uint64_t a);
int64_t i64_from_f64(uint64_t a);
uint64_t u64_from_f64(uint64_t a);

/* The same number in the other format; rounded into the narrower one. */
uint64_t f64_from_f32(uint32_t a);
uint32_t f32_from_f64(uint64_t a);

/* Integral numbers: the next one down, up or towards zero; the nearest one, of two the one away
 * from zero (`round`) or the even one (`rint`). Zero keeps the operand's sign. */
uint32_t f32_floor(uint32_t a);
uint32_t f32_ceil(uint32_t a);
uint32_t f32_trunc(uint32_t a);
uint32_t f32_round(uint32_t a);
uint32_t f32_rint(uint32_t a);
uint64_t f64_floor(uint64_t a);
uint64_t f64_ceil(uint64_t a);
uint64_t f64_trunc(uint64_t a);
uint64_t f64_round(uint64_t a);
uint64_t f64_rint(uint64_t a);

#endif
