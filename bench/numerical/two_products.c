// SPDX-License-Identifier: Apache-2.0
// offload: two_products
// iterations: 13248
/* d = alpha a b c + beta d, with a b kept */
#include "numbers.h"

enum { I = 16, J = 18, K = 22, L = 24 };

void two_products(double alpha, double beta, double ab[I][J], double a[I][K], double b[K][J],
                  double c[J][L], double d[I][L])
{
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++) {
            ab[i][j] = 0;
            for (int k = 0; k < K; k++)
                ab[i][j] += alpha * a[i][k] * b[k][j];
        }
    for (int i = 0; i < I; i++)
        for (int j = 0; j < L; j++) {
            d[i][j] *= beta;
            for (int k = 0; k < J; k++)
                d[i][j] += ab[i][k] * c[k][j];
        }
}

int main(void)
{
    static double ab[I][J], a[I][K], b[K][J], c[J][L], d[I][L];
    fill(a, sizeof a), fill(b, sizeof b), fill(c, sizeof c), fill(d, sizeof d);
    two_products(1.5, 1.2, ab, a, b, c, d);
    return told(d, sizeof d);
}
