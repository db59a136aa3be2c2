/* SPDX-License-Identifier: Apache-2.0 */
/* a function for an element, size_t */
#include <stddef.h>

static int element(const int *row, const int *column, size_t count)
{
    int sum = 0;
    for (size_t k = 0; k < count; ++k)
        sum += row[k] * column[20 * k];
    return sum;
}

void product(const int *a, const int *b, int *c)
{
    for (size_t i = 0; i < 20; ++i)
        for (size_t j = 0; j < 20; ++j)
            c[20 * i + j] = element(a + 20 * i, b + j, 20);
}

void call(const void *in, void *out) { product(in, (const int *)in + 400, out); }
