/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* The series of the sine, in doubles on their bits, until a term is small. */
#include "soft_double.h"
#include <stdio.h>

#define N 9

static volatile soft_double angles[N] = {
    0x0000000000000000ULL, 0x3fd921fb54442d18ULL, 0x3fe921fb54442d18ULL, 0x3ff2d97c7f3321d2ULL,
    0x3ff921fb54442d18ULL, 0x3fff6a7a2955385eULL, 0x4002d97c7f3321d2ULL, 0x4005fdbbe9bba775ULL,
    0x400921fb54442d18ULL};
static const soft_double sines[N] = {
    0x0000000000000000ULL, 0x3fd87de2a606a99aULL, 0x3fe6a09e676fcbb2ULL, 0x3fed906bce79ea28ULL,
    0x3fefffffe1cbd434ULL, 0x3fed906bd9427316ULL, 0x3fe6a09e6356da06ULL, 0x3fd87de2506315a1ULL,
    0x3e5812a0cee9a2e0ULL};

static soft_double magnitude(soft_double a)
{
    return a & 0x7fffffffffffffffULL;
}

static soft_double sine(soft_double angle)
{
    soft_double sum = angle, term = angle, minus_square;
    int i = 1;

    minus_square = soft_multiply(angle, angle) ^ 0x8000000000000000ULL;
    do {
        term = soft_divide(soft_multiply(term, minus_square), soft_from_int((2 * i) * (2 * i + 1)));
        sum = soft_add(sum, term);
        i++;
    } while (!soft_less(magnitude(term), 0x3ee4f8b588e368f1ULL));
    return sum;
}

int main()
{
    int wrong = 0, i;

    for (i = 0; i < N; i++) {
        soft_double angle = angles[i], found = sine(angle);
        wrong += found != sines[i];
        printf("%016llx %016llx\n", angle, found);
    }
    printf("Result: %d\n", wrong);
    return wrong;
}
