/* SPDX-License-Identifier: Apache-2.0
 * The library's floating-point operators beside the host's own.
 *
 *     operators_test RANDOM [SEED] [OPERATOR]
 *
 * compares each operator, or the named one, on all combinations of special operands and on RANDOM
 * random ones. Prints a line an operator, and the first differences; exit status 1 if there are
 * any. NaNs count as equal, whatever their payload. */
#include "../../library/float/float.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SHOWN 5

typedef enum { NONE, F32, F64, I32, U32, I64, U64, TRUTH } type;

/* One operator. Operands and results are the bits of their types; `host` says whether C defines the
 * result. */
typedef struct {
    const char *name;
    type result, operands[3];
    uint64_t (*ours)(const uint64_t *x);
    bool (*host)(const uint64_t *x, uint64_t *result);
} operator;

/* -- numbers and their bits ----------------------------------------------------------------- */

static float to_f32(uint64_t x)
{
    const uint32_t word = (uint32_t)x;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double to_f64(uint64_t x)
{
    double value;
    memcpy(&value, &x, sizeof value);
    return value;
}

static uint64_t of_f32(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return isnan(value) ? 0x7fc00000 : word;
}

static uint64_t of_f64(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return isnan(value) ? 0x7ff8000000000000 : word;
}

/* -- the operators -------------------------------------------------------------------------- */

#define OPERATOR(name, call, value, defined)                                                       \
    static uint64_t ours_##name(const uint64_t *x) { return (uint64_t)(call); }                    \
    static bool host_##name(const uint64_t *x, uint64_t *result)                                   \
    {                                                                                              \
        const bool is_defined = (defined);                                                         \
        if (is_defined)                                                                            \
            *result = (uint64_t)(value);                                                           \
        return is_defined;                                                                         \
    }

#define A(w) to_f##w(x[0])
#define B(w) to_f##w(x[1])
#define C(w) to_f##w(x[2])

#define ARITHMETIC(w, suffix)                                                                      \
    OPERATOR(f##w##_add, f##w##_add(x[0], x[1]), of_f##w(A(w) + B(w)), true)                       \
    OPERATOR(f##w##_mul, f##w##_mul(x[0], x[1]), of_f##w(A(w) * B(w)), true)                       \
    OPERATOR(f##w##_div, f##w##_div(x[0], x[1]), of_f##w(A(w) / B(w)), true)                       \
    OPERATOR(f##w##_sqrt, f##w##_sqrt(x[0]), of_f##w(sqrt##suffix(A(w))), true)                    \
    OPERATOR(f##w##_fma, f##w##_fma(x[0], x[1], x[2]), of_f##w(fma##suffix(A(w), B(w), C(w))),     \
             true)                                                                                 \
    OPERATOR(f##w##_eq, f##w##_eq(x[0], x[1]), A(w) == B(w), true)                                 \
    OPERATOR(f##w##_lt, f##w##_lt(x[0], x[1]), A(w) < B(w), true)                                  \
    OPERATOR(f##w##_le, f##w##_le(x[0], x[1]), A(w) <= B(w), true)                                 \
    OPERATOR(f##w##_floor, f##w##_floor(x[0]), of_f##w(floor##suffix(A(w))), true)                 \
    OPERATOR(f##w##_ceil, f##w##_ceil(x[0]), of_f##w(ceil##suffix(A(w))), true)                    \
    OPERATOR(f##w##_trunc, f##w##_trunc(x[0]), of_f##w(trunc##suffix(A(w))), true)                 \
    OPERATOR(f##w##_round, f##w##_round(x[0]), of_f##w(round##suffix(A(w))), true)                 \
    OPERATOR(f##w##_rint, f##w##_rint(x[0]), of_f##w(rint##suffix(A(w))), true)

ARITHMETIC(32, f)
ARITHMETIC(64, )

#define CONVERSIONS(w, real)                                                                       \
    OPERATOR(f##w##_from_i32, f##w##_from_i32((int32_t)x[0]), of_f##w((real)(int32_t)x[0]), true)  \
    OPERATOR(f##w##_from_u32, f##w##_from_u32(x[0]), of_f##w((real)(uint32_t)x[0]), true)          \
    OPERATOR(f##w##_from_i64, f##w##_from_i64((int64_t)x[0]), of_f##w((real)(int64_t)x[0]), true)  \
    OPERATOR(f##w##_from_u64, f##w##_from_u64(x[0]), of_f##w((real)x[0]), true)                    \
    OPERATOR(i32_from_f##w, (uint32_t)i32_from_f##w(x[0]), (uint32_t)(int32_t)A(w),                \
             trunc(A(w)) >= -0x1p31 && trunc(A(w)) < 0x1p31)                                       \
    OPERATOR(u32_from_f##w, u32_from_f##w(x[0]), (uint32_t)A(w), A(w) > -1 && A(w) < 0x1p32)       \
    OPERATOR(i64_from_f##w, i64_from_f##w(x[0]), (int64_t)A(w), A(w) >= -0x1p63 && A(w) < 0x1p63)  \
    OPERATOR(u64_from_f##w, u64_from_f##w(x[0]), (uint64_t)A(w), A(w) > -1 && A(w) < 0x1p64)

CONVERSIONS(32, float)
CONVERSIONS(64, double)
OPERATOR(f64_from_f32, f64_from_f32(x[0]), of_f64(A(32)), true)
OPERATOR(f32_from_f64, f32_from_f64(x[0]), of_f32((float)A(64)), true)

#define ROW(name, result, ...) {#name, result, {__VA_ARGS__}, ours_##name, host_##name}
#define ROWS(w)                                                                                    \
    ROW(f##w##_add, F##w, F##w, F##w), ROW(f##w##_mul, F##w, F##w, F##w),                          \
        ROW(f##w##_div, F##w, F##w, F##w), ROW(f##w##_sqrt, F##w, F##w),                           \
        ROW(f##w##_fma, F##w, F##w, F##w, F##w), ROW(f##w##_eq, TRUTH, F##w, F##w),                \
        ROW(f##w##_lt, TRUTH, F##w, F##w), ROW(f##w##_le, TRUTH, F##w, F##w),                      \
        ROW(f##w##_floor, F##w, F##w), ROW(f##w##_ceil, F##w, F##w),                               \
        ROW(f##w##_trunc, F##w, F##w), ROW(f##w##_round, F##w, F##w),                              \
        ROW(f##w##_rint, F##w, F##w), ROW(f##w##_from_i32, F##w, I32),                             \
        ROW(f##w##_from_u32, F##w, U32), ROW(f##w##_from_i64, F##w, I64),                          \
        ROW(f##w##_from_u64, F##w, U64), ROW(i32_from_f##w, I32, F##w),                            \
        ROW(u32_from_f##w, U32, F##w), ROW(i64_from_f##w, I64, F##w), ROW(u64_from_f##w, U64, F##w)

static const operator operators[] = {
    ROWS(32),
    ROWS(64),
    ROW(f64_from_f32, F64, F32),
    ROW(f32_from_f64, F32, F64),
};

/* -- operands ------------------------------------------------------------------------------- */

static uint64_t state;

/* splitmix64 */
static uint64_t random_word(void)
{
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static unsigned below(unsigned limit) { return (unsigned)(random_word() % limit); }

static int fraction_bits(type t) { return t == F32 ? 23 : 52; }
static int exponent_bits(type t) { return t == F32 ? 8 : 11; }
static int top_exponent(type t) { return (1 << exponent_bits(t)) - 1; }
static uint64_t ones(int count) { return count ? ~UINT64_C(0) >> (64 - count) : 0; }
static bool is_float(type t) { return t == F32 || t == F64; }
static int word_bits(type t) { return t == F32 || t == I32 || t == U32 ? 32 : 64; }

static uint64_t assembled(type t, bool sign, int exponent, uint64_t fraction)
{
    exponent = exponent < 0 ? 0 : exponent > top_exponent(t) ? top_exponent(t) : exponent;
    return (uint64_t)sign << (word_bits(t) - 1) | (uint64_t)exponent << fraction_bits(t) |
           (fraction & ones(fraction_bits(t)));
}

static int exponent_of(type t, uint64_t x) { return x >> fraction_bits(t) & top_exponent(t); }

/* Runs of equal bits at either end lead to halfway cases and to carries over all of a fraction. */
static uint64_t random_fraction(type t)
{
    const uint64_t x = random_word();
    const int run = below(fraction_bits(t) + 1);
    switch (below(6)) {
    case 0: return x & ~ones(run);
    case 1: return x | ones(run);
    case 2: return x & ones(run);
    case 3: return UINT64_C(1) << run;
    default: return x;
    }
}

static const int special_exponents[] = {-1, 0, 1, 2};

/* The first operand of an operator, or one that has nothing to do with the others. */
static uint64_t random_float(type t)
{
    const int bias = top_exponent(t) >> 1;
    const bool sign = random_word() & 1;
    switch (below(8)) {
    case 0: return random_word() & ones(word_bits(t));
    case 1: return assembled(t, sign, 0, random_fraction(t));
    case 2: return assembled(t, sign, top_exponent(t) - 1 - below(4), random_fraction(t));
    case 3: return assembled(t, sign, special_exponents[below(4)], random_fraction(t));
    case 4: case 5: return assembled(t, sign, bias - 3 + below(70), random_fraction(t));
    default: return assembled(t, sign, below(top_exponent(t)), random_fraction(t));
    }
}

/* A second operand for a first one: of nearly the same exponent, for sums and their cancellation,
 * or of one that brings product or quotient to either end of the range. */
static uint64_t random_beside(type t, uint64_t first)
{
    const int top = top_exponent(t), bias = top >> 1, e = exponent_of(t, first);
    const bool sign = random_word() & 1;
    const int near = (int)below(5) - 2, reach = fraction_bits(t) + 6;
    const int far = (int)below(2 * reach) - reach;
    switch (below(10)) {
    case 0: return first ^ (random_word() & ones(2)) ^ (uint64_t)sign << (word_bits(t) - 1);
    case 1: return assembled(t, sign, e + near, random_fraction(t));
    case 2: return assembled(t, sign, e + far, random_fraction(t));
    case 3: return assembled(t, sign, bias - e + far, random_fraction(t));
    case 4: return assembled(t, sign, bias + top - e + near, random_fraction(t));
    case 5: return assembled(t, sign, e + bias + far, random_fraction(t));
    case 6: return assembled(t, sign, e - bias + near, random_fraction(t));
    default: return random_float(t);
    }
}

static uint64_t opposite_product(type t, uint64_t a, uint64_t b)
{
    return t == F32 ? of_f32(-(to_f32(a) * to_f32(b))) : of_f64(-(to_f64(a) * to_f64(b)));
}

/* A third operand: next to the product of the others, at either side of it, or anything. */
static uint64_t random_addend(type t, uint64_t a, uint64_t b)
{
    const int bias = top_exponent(t) >> 1, e = exponent_of(t, a) + exponent_of(t, b) - bias;
    const bool sign = random_word() & 1;
    const int near = (int)below(5) - 2, reach = 2 * fraction_bits(t);
    const int far = (int)below(2 * reach) - reach;
    switch (below(6)) {
    case 0: return opposite_product(t, a, b) ^ below(4);
    case 1: return assembled(t, sign, e + near, random_fraction(t));
    case 2: case 3: return assembled(t, sign, e + far, random_fraction(t));
    default: return random_float(t);
    }
}

static uint64_t random_integer(type t)
{
    const uint64_t x = random_word() & ones(word_bits(t)), size = below(word_bits(t));
    const uint64_t run = ones(below(word_bits(t)));
    switch (below(4)) {
    case 0: return x;
    case 1: return x >> size;
    case 2: return (x & ~run) >> size;
    default: return -(x >> size) & ones(word_bits(t));
    }
}

static void random_operands(const operator *o, uint64_t *x)
{
    const type *t = o->operands;
    x[0] = is_float(t[0]) ? random_float(t[0]) : random_integer(t[0]);
    if (t[1] != NONE)
        x[1] = random_beside(t[1], x[0]);
    if (t[1] != NONE && below(2)) {
        const uint64_t first = x[0];
        x[0] = x[1];
        x[1] = first;
    }
    if (t[2] != NONE)
        x[2] = random_addend(t[2], x[0], x[1]);
}

/* -- special operands ----------------------------------------------------------------------- */

#define MOST_SPECIALS 200

typedef struct {
    uint64_t values[MOST_SPECIALS];
    int count;
} list;

static void add(list *l, type t, uint64_t x)
{
    if (l->count < MOST_SPECIALS)
        l->values[l->count++] = x & ones(word_bits(t));
}

/* A number, the ones next to it, and their opposites. */
static void add_around(list *l, type t, uint64_t x)
{
    for (int i = -1; i <= 1; i++) {
        if (x + i > x + 1)
            continue;
        add(l, t, x + i);
        add(l, t, x + i + (UINT64_C(1) << (word_bits(t) - 1)));
    }
}

/* `few` leaves out what matters less where there are three operands. */
static list special_floats(type t, bool few)
{
    const int f = fraction_bits(t), top = top_exponent(t), bias = top >> 1;
    list l = {.count = 0};
    add_around(&l, t, 0);
    add_around(&l, t, assembled(t, 0, 1, 0));
    add_around(&l, t, assembled(t, 0, bias, 0));
    add_around(&l, t, assembled(t, 0, top, 0)); /* the greatest, infinity, a signalling NaN */
    add(&l, t, assembled(t, 0, top, UINT64_C(1) << (f - 1)));
    add(&l, t, assembled(t, 0, bias + 1, UINT64_C(1) << (f - 1))); /* 3 */
    add(&l, t, assembled(t, 0, bias - f - 1, 0));                  /* half a last place of 1 */
    add_around(&l, t, assembled(t, 0, bias - 1, 0));
    if (few)
        return l;
    const int powers[] = {1, 2, f - 1, f, f + 1, f + 2, 30, 31, 32, 62, 63, 64};
    for (size_t i = 0; i < COUNT(powers); i++)
        add_around(&l, t, assembled(t, 0, bias + powers[i], 0));
    const int tiny[] = {bias - f, bias - f - 2, bias - 2, 2, f, f + 1, top - 2};
    for (size_t i = 0; i < COUNT(tiny); i++)
        add_around(&l, t, assembled(t, 0, tiny[i], 0));
    for (int i = 0; i < 4; i++) { /* 0.5, 1.5, 2.5, 3.5 */
        const float half = (float)i + 0.5f;
        add(&l, t, t == F32 ? of_f32(half) : of_f64(half));
        add(&l, t, t == F32 ? of_f32(-half) : of_f64(-half));
    }
    add(&l, t, assembled(t, 0, 0, UINT64_C(1) << (f - 1)));
    add(&l, t, assembled(t, 0, bias, UINT64_C(1) << (f - 1)));
    return l;
}

static list special_integers(type t)
{
    list l = {.count = 0};
    for (int i = 0; i < word_bits(t); i += i < 20 || i > 28 ? 1 : 4)
        add_around(&l, t, UINT64_C(1) << i);
    return l;
}

static list specials(type t, bool few)
{
    list one = {{0}, 1};
    return t == NONE ? one : is_float(t) ? special_floats(t, few) : special_integers(t);
}

/* -- comparing ------------------------------------------------------------------------------ */

typedef struct {
    uint64_t compared, different;
} tally;

static void compare(const operator *o, const uint64_t *x, tally *found)
{
    uint64_t wanted;
    if (!o->host(x, &wanted))
        return;
    const uint64_t given = o->ours(x);
    found->compared++;
    if (given == wanted)
        return;
    if (found->different++ < SHOWN)
        printf("  %s(%#llx, %#llx, %#llx) gives %#llx, not %#llx\n", o->name,
               (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2],
               (unsigned long long)given, (unsigned long long)wanted);
}

static tally tested(const operator *o, uint64_t random)
{
    tally found = {0, 0};
    const bool few = o->operands[2] != NONE;
    const list a = specials(o->operands[0], few), b = specials(o->operands[1], few);
    const list c = specials(o->operands[2], few);
    for (int i = 0; i < a.count; i++)
        for (int j = 0; j < b.count; j++)
            for (int k = 0; k < c.count; k++)
                compare(o, (uint64_t[]){a.values[i], b.values[j], c.values[k]}, &found);
    for (uint64_t i = 0; i < random; i++) {
        uint64_t x[3] = {0, 0, 0};
        random_operands(o, x);
        compare(o, x, &found);
    }
    return found;
}

int main(int count, char **words)
{
    const uint64_t random = count > 1 ? strtoull(words[1], NULL, 0) : 1000000;
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1;
    bool all_same = true;
    for (size_t i = 0; i < COUNT(operators); i++) {
        const operator *o = &operators[i];
        if (count > 3 && strcmp(words[3], o->name))
            continue;
        state = seed << 32 ^ i;
        const tally found = tested(o, random);
        printf("%-13s %12llu compared %8llu different\n", o->name,
               (unsigned long long)found.compared, (unsigned long long)found.different);
        fflush(stdout);
        all_same &= !found.different && found.compared;
    }
    return !all_same;
}
