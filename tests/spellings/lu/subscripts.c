/* SPDX-License-Identifier: Apache-2.0 */
/* two dimensions, a row at a time below the pivot */
#include <string.h>

void lu(double a[24][24])
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
    memcpy(out, in, 576 * 8);
    lu(out);
}
