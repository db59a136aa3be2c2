/* SPDX-License-Identifier: Apache-2.0 */
/* rows of a power of two */
#include "../pitch.h"

void lu(double a[24][32])
{
    for (int k = 0; k < 24; k++)
        for (int i = k + 1; i < 24; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < 24; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

void call(const void *in, void *out)
{
    double a[24][32] = {0};
    copy_rows(a, 32 * 8, in, 24 * 8, 24, 24 * 8);
    lu(a);
    copy_rows(out, 24 * 8, a, 32 * 8, 24, 24 * 8);
}
