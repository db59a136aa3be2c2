/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* offload: soft_divide */
/* Sums, products and quotients of doubles on their bits, against tables of what they come to. */
#include "soft_double.h"
#include <stdio.h>

#define N 12

static volatile soft_double a[N] = {
    0x0000000000000000ULL, 0x3ff0000000000000ULL, 0x3ff8000000000000ULL, 0xc000000000000000ULL,
    0x7ff0000000000000ULL, 0x7fefffffffffffffULL, 0x0010000000000000ULL, 0x000fffffffffffffULL,
    0x400921fb54442d18ULL, 0xbfb999999999999aULL, 0x3ff0000000000001ULL, 0x7ff8000000000000ULL};
static volatile soft_double b[N] = {
    0x3ff0000000000000ULL, 0x3ff0000000000000ULL, 0xc004000000000000ULL, 0x4000000000000000ULL,
    0xfff0000000000000ULL, 0x7fefffffffffffffULL, 0x8000000000000001ULL, 0x3fe0000000000000ULL,
    0xc005bf0a8b145769ULL, 0x4024000000000000ULL, 0xbff0000000000000ULL, 0x3ff0000000000000ULL};
static const soft_double sums[N] = {
    0x3ff0000000000000ULL, 0x4000000000000000ULL, 0xbff0000000000000ULL, 0x0000000000000000ULL,
    0x7ff8000000000000ULL, 0x7ff0000000000000ULL, 0x000fffffffffffffULL, 0x3fe0000000000000ULL,
    0x3fdb1786497ead78ULL, 0x4023cccccccccccdULL, 0x3cb0000000000000ULL, 0x7ff8000000000000ULL};
static const soft_double products[N] = {
    0x0000000000000000ULL, 0x3ff0000000000000ULL, 0xc00e000000000000ULL, 0xc010000000000000ULL,
    0xfff0000000000000ULL, 0x7ff0000000000000ULL, 0x8000000000000000ULL, 0x0008000000000000ULL,
    0xc02114580b45d474ULL, 0xbff0000000000000ULL, 0xbff0000000000001ULL, 0x7ff8000000000000ULL};
static const soft_double quotients[N] = {
    0x0000000000000000ULL, 0x3ff0000000000000ULL, 0xbfe3333333333333ULL, 0xbff0000000000000ULL,
    0x7ff8000000000000ULL, 0x3ff0000000000000ULL, 0xc330000000000000ULL, 0x001ffffffffffffeULL,
    0xbff27ddbf6271dbeULL, 0xbf847ae147ae147bULL, 0xbff0000000000001ULL, 0x7ff8000000000000ULL};

int main()
{
    int result = 0;
    int i;

    for (i = 0; i < N; i++) {
        soft_double p = a[i], q = b[i], sum, product, quotient;
        sum = soft_add(p, q);
        product = soft_multiply(p, q);
        quotient = soft_divide(p, q);
        result += (sum != sums[i]) + (product != products[i]) + (quotient != quotients[i]);
        printf("%016llx %016llx %016llx %016llx %016llx\n", p, q, sum, product, quotient);
    }
    printf("Result: %d, flags %d\n", result, raised);
    if (result == 0)
        printf("RESULT: PASS\n");
    else
        printf("RESULT: FAIL\n");
    return result;
}
