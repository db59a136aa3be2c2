// SPDX-License-Identifier: Apache-2.0
/* The C library sorts, and asks a function of ours which is first. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define N 20000
static uint32_t rows[N];
int order(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}
int main(void)
{
    uint32_t s = 1;
    for (int i = 0; i < N; i++)
        rows[i] = s = s * 1664525 + 1013904223;
    qsort(rows, N, sizeof rows[0], order);
    printf("%u\n", rows[N / 2]);
    return 0;
}
