/* SPDX-License-Identifier: Apache-2.0 */
/* a pointer a row, the factor in a variable */
#include <stddef.h>

void product_f64(const double *a, const double *b, double *c)
{
    for (size_t i = 0; i < 40; ++i) {
        double *restrict to = c + 40 * i;
        for (size_t j = 0; j < 40; ++j)
            to[j] = 0;
        for (size_t k = 0; k < 40; ++k) {
            const double x = a[40 * i + k], *restrict from = b + 40 * k;
            for (size_t j = 0; j < 40; ++j)
                to[j] += x * from[j];
        }
    }
}

void call(const void *in, void *out) { product_f64(in, (const double *)in + 1600, out); }
