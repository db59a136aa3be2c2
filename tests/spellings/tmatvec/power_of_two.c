/* SPDX-License-Identifier: Apache-2.0 */
/* rows of a power of two */
#include "../pitch.h"

void tmatvec(const int a[24][32], const int x[24], int y[24])
{
    for (unsigned j = 0; j < 24; j++) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 24; i++)
            sum += a[i][j] * x[i];
        y[j] = sum;
    }
}

void call(const void *in, void *out)
{
    int a[24][32] = {0};
    copy_rows(a, 32 * 4, in, 24 * 4, 24, 24 * 4);
    tmatvec(a, (const int *)in + 576, out);
}
