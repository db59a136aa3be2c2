/* SPDX-License-Identifier: Apache-2.0
 * The operators of binary64. */
#include "float.h"

#include "arithmetic.h"
#include "compare.h"
#include "convert.h"
#include "digits.h"

uint64_t f64_add(uint64_t a, uint64_t b) { return sum(F64, a, b); }
uint64_t f64_mul(uint64_t a, uint64_t b) { return product(F64, a, b); }
uint64_t f64_div(uint64_t a, uint64_t b) { return quotient(F64, a, b); }
uint64_t f64_sqrt(uint64_t a) { return root(F64, a); }
uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c) { return fused(F64, a, b, c); }

bool f64_eq(uint64_t a, uint64_t b) { return is_same(F64, a, b); }
bool f64_lt(uint64_t a, uint64_t b) { return is_less(F64, a, b); }
bool f64_le(uint64_t a, uint64_t b) { return is_less_or_same(F64, a, b); }

uint64_t f64_from_i32(int32_t a) { return from_signed(F64, 32, a); }
uint64_t f64_from_u32(uint32_t a) { return from_integer(F64, 32, false, a); }
uint64_t f64_from_i64(int64_t a) { return from_signed(F64, 64, a); }
uint64_t f64_from_u64(uint64_t a) { return from_integer(F64, 64, false, a); }

int32_t i32_from_f64(uint64_t a) { return (int32_t)to_integer(F64, 32, a); }
uint32_t u32_from_f64(uint64_t a) { return (uint32_t)to_integer(F64, 32, a); }
int64_t i64_from_f64(uint64_t a) { return (int64_t)to_integer(F64, 64, a); }
uint64_t u64_from_f64(uint64_t a) { return to_integer(F64, 64, a); }

uint64_t f64_from_f32(uint32_t a) { return widened(F32, F64, a); }

uint64_t f64_floor(uint64_t a) { return integral(F64, DOWN, a); }
uint64_t f64_ceil(uint64_t a) { return integral(F64, UP, a); }
uint64_t f64_trunc(uint64_t a) { return integral(F64, TOWARDS_ZERO, a); }
uint64_t f64_round(uint64_t a) { return integral(F64, NEAREST_AWAY, a); }
uint64_t f64_rint(uint64_t a) { return integral(F64, NEAREST_EVEN, a); }
