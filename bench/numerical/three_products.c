// SPDX-License-Identifier: Apache-2.0
// offload: three_products
// iterations: 21600
/* (a b) (c d), both factors kept */
#include "numbers.h"

enum { I = 16, J = 18, K = 20, L = 22, M = 24 };

SIZED void three_products(int ni, int nj, int nk, int nl, int nm, double e[I][J], double a[I][K],
                          double b[K][J], double f[J][L], double c[J][M], double d[M][L],
                          double g[I][L])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            e[i][j] = 0;
            for (int k = 0; k < nk; k++)
                e[i][j] += a[i][k] * b[k][j];
        }
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nl; j++) {
            f[i][j] = 0;
            for (int k = 0; k < nm; k++)
                f[i][j] += c[i][k] * d[k][j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            g[i][j] = 0;
            for (int k = 0; k < nj; k++)
                g[i][j] += e[i][k] * f[k][j];
        }
}

int main(void)
{
    static double e[I][J], a[I][K], b[K][J], f[J][L], c[J][M], d[M][L], g[I][L];
    fill(a, sizeof a), fill(b, sizeof b), fill(c, sizeof c), fill(d, sizeof d);
    three_products(I, J, K, L, M, e, a, b, f, c, d, g);
    return told(g, sizeof g);
}
