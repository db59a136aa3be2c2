/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include "../pitch.h"

void tmatvec(const int *a, const int *x, int *y)
{
    for (int j = 0; j < 24; j++) {
        int sum = 0;
        for (int i = 0; i < 24; i++)
            sum += a[i * 29 + j] * x[i];
        y[j] = sum;
    }
}

void call(const void *in, void *out)
{
    int a[24][29] = {0};
    copy_rows(a, 29 * 4, in, 24 * 4, 24, 24 * 4);
    tmatvec(*a, (const int *)in + 576, out);
}
