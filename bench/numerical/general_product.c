// SPDX-License-Identifier: Apache-2.0
// offload: general_product
// iterations: 15500
/* c = alpha a b + beta c */
#include "numbers.h"

enum { I = 20, J = 25, K = 30 };

SIZED void general_product(int ni, int nj, int nk, double alpha, double beta, double c[I][J],
                           double a[I][K], double b[K][J])
{
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            c[i][j] *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                c[i][j] += alpha * a[i][k] * b[k][j];
    }
}

int main(void)
{
    static double a[I][K], b[K][J], c[I][J];
    fill(a, sizeof a), fill(b, sizeof b), fill(c, sizeof c);
    general_product(I, J, K, 1.5, 1.2, c, a, b);
    return told(c, sizeof c);
}
