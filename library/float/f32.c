/* SPDX-License-Identifier: Apache-2.0
 * The operators of binary32. */
#include "float.h"

#include "arithmetic.h"
#include "compare.h"
#include "convert.h"
#include "digits.h"

uint32_t f32_add(uint32_t a, uint32_t b) { return (uint32_t)sum(F32, a, b); }
uint32_t f32_mul(uint32_t a, uint32_t b) { return (uint32_t)product(F32, a, b); }
uint32_t f32_div(uint32_t a, uint32_t b) { return (uint32_t)quotient(F32, a, b); }
uint32_t f32_sqrt(uint32_t a) { return (uint32_t)root(F32, a); }
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c) { return (uint32_t)fused(F32, a, b, c); }

bool f32_eq(uint32_t a, uint32_t b) { return is_same(F32, a, b); }
bool f32_lt(uint32_t a, uint32_t b) { return is_less(F32, a, b); }
bool f32_le(uint32_t a, uint32_t b) { return is_less_or_same(F32, a, b); }

uint32_t f32_from_i32(int32_t a) { return (uint32_t)from_signed(F32, 32, a); }
uint32_t f32_from_u32(uint32_t a) { return (uint32_t)from_integer(F32, 32, false, a); }
uint32_t f32_from_i64(int64_t a) { return (uint32_t)from_signed(F32, 64, a); }
uint32_t f32_from_u64(uint64_t a) { return (uint32_t)from_integer(F32, 64, false, a); }

int32_t i32_from_f32(uint32_t a) { return (int32_t)to_integer(F32, 32, a); }
uint32_t u32_from_f32(uint32_t a) { return (uint32_t)to_integer(F32, 32, a); }
int64_t i64_from_f32(uint32_t a) { return (int64_t)to_integer(F32, 64, a); }
uint64_t u64_from_f32(uint32_t a) { return to_integer(F32, 64, a); }

uint32_t f32_from_f64(uint64_t a) { return (uint32_t)narrowed(F64, F32, a); }

uint32_t f32_floor(uint32_t a) { return (uint32_t)integral(F32, DOWN, a); }
uint32_t f32_ceil(uint32_t a) { return (uint32_t)integral(F32, UP, a); }
uint32_t f32_trunc(uint32_t a) { return (uint32_t)integral(F32, TOWARDS_ZERO, a); }
uint32_t f32_round(uint32_t a) { return (uint32_t)integral(F32, NEAREST_AWAY, a); }
uint32_t f32_rint(uint32_t a) { return (uint32_t)integral(F32, NEAREST_EVEN, a); }
