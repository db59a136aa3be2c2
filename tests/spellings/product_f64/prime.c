/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include "../pitch.h"

void product_f64(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 40; j++)
            c[i * 41 + j] = 0;
        for (int k = 0; k < 40; k++)
            for (int j = 0; j < 40; j++)
                c[i * 41 + j] += a[i * 41 + k] * b[k * 41 + j];
    }
}

void call(const void *in, void *out)
{
    double from[80][41] = {0}, to[40][41] = {0};
    copy_rows(from, 41 * 8, in, 40 * 8, 80, 40 * 8);
    product_f64(from[0], from[40], *to);
    copy_rows(out, 40 * 8, to, 41 * 8, 40, 40 * 8);
}
