// SPDX-License-Identifier: Apache-2.0
// offload: tensor_product
// iterations: 12480
/* the last dimension of a times a matrix, in place */
#include "numbers.h"

enum { R = 10, Q = 8, P = 12 };

SIZED void tensor_product(int nr, int nq, int np, double a[R][Q][P], double c[P][P], double sum[P])
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[p] = 0;
                for (int s = 0; s < np; s++)
                    sum[p] += a[r][q][s] * c[s][p];
            }
            for (int p = 0; p < np; p++)
                a[r][q][p] = sum[p];
        }
}

int main(void)
{
    static double a[R][Q][P], c[P][P], sum[P];
    fill(a, sizeof a), fill(c, sizeof c);
    tensor_product(R, Q, P, a, c, sum);
    return told(a, sizeof a);
}
