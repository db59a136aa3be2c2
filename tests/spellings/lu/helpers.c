/* SPDX-License-Identifier: Apache-2.0 */
/* a function that takes a multiple of a row away, while */
#include <string.h>
#define A(i, j) a[24 * (i) + (j)]

static void take(double *to, const double *from, double factor, int count)
{
    while (count-- > 0)
        *to++ -= factor * *from++;
}

void lu(double *a)
{
    int k = 0;
    while (k < 24) {
        int i = k + 1;
        while (i < 24) {
            A(i, k) /= A(k, k);
            take(&A(i, k + 1), &A(k, k + 1), A(i, k), 23 - k);
            i++;
        }
        k++;
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 576 * 8);
    lu(out);
}
