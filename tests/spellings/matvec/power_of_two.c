/* SPDX-License-Identifier: Apache-2.0 */
/* rows of a power of two */
#include "../pitch.h"

void matvec(const int a[16][32], const int x[24], int y[16])
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned sum = 0;
        for (unsigned j = 0; j < 24; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}

void call(const void *in, void *out)
{
    int a[16][32] = {0};
    copy_rows(a, 32 * 4, in, 24 * 4, 16, 24 * 4);
    matvec(a, (const int *)in + 384, out);
}
