/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a power of two */
#include "../pitch.h"

void product_f64(const double *a, const double *b, double *c)
{
    for (unsigned i = 0; i < 40; i++) {
        for (unsigned j = 0; j < 40; j++)
            c[i * 64 + j] = 0;
        for (unsigned k = 0; k < 40; k++)
            for (unsigned j = 0; j < 40; j++)
                c[i * 64 + j] += a[i * 64 + k] * b[k * 64 + j];
    }
}

void call(const void *in, void *out)
{
    double from[80][64] = {0}, to[40][64] = {0};
    copy_rows(from, 64 * 8, in, 40 * 8, 80, 40 * 8);
    product_f64(from[0], from[40], *to);
    copy_rows(out, 40 * 8, to, 64 * 8, 40, 40 * 8);
}
