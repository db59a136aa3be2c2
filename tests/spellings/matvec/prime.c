/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include "../pitch.h"

void matvec(const int *a, const int *x, int *y)
{
    for (int i = 0; i < 16; i++) {
        int sum = 0;
        for (int j = 0; j < 24; j++)
            sum += a[29 * i + j] * x[j];
        y[i] = sum;
    }
}

void call(const void *in, void *out)
{
    int a[16][29] = {0};
    copy_rows(a, 29 * 4, in, 24 * 4, 16, 24 * 4);
    matvec(*a, (const int *)in + 384, out);
}
