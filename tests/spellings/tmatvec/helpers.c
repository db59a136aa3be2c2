/* SPDX-License-Identifier: Apache-2.0 */
/* a function that adds a multiple of a row, size_t */
#include <stddef.h>

static void add_multiple(int *to, const int *row, int factor)
{
    for (size_t j = 0; j < 24; j++)
        to[j] += row[j] * factor;
}

void tmatvec(const int *a, const int *x, int *y)
{
    for (size_t j = 0; j < 24; j++)
        y[j] = 0;
    for (size_t i = 0; i < 24; i++)
        add_multiple(y, a + 24 * i, x[i]);
}

void call(const void *in, void *out) { tmatvec(in, (const int *)in + 576, out); }
