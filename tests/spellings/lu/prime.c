/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include "../pitch.h"

void lu(double *a)
{
    for (int k = 0; k < 24; k++)
        for (int i = k + 1; i < 24; i++) {
            a[i * 29 + k] /= a[k * 29 + k];
            for (int j = k + 1; j < 24; j++)
                a[i * 29 + j] -= a[i * 29 + k] * a[k * 29 + j];
        }
}

void call(const void *in, void *out)
{
    double a[24][29] = {0};
    copy_rows(a, 29 * 8, in, 24 * 8, 24, 24 * 8);
    lu(*a);
    copy_rows(out, 24 * 8, a, 29 * 8, 24, 24 * 8);
}
