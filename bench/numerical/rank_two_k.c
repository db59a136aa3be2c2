// SPDX-License-Identifier: Apache-2.0
// offload: rank_two_k
// iterations: 9765
/* the lower half of c = alpha (a b' + b a') + beta c */
#include "numbers.h"

enum { N = 30, M = 20 };

SIZED void rank_two_k(int n, int m, double alpha, double beta, double c[N][N], double a[N][M],
                      double b[N][M])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            c[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += a[j][k] * alpha * b[i][k] + b[j][k] * alpha * a[i][k];
    }
}

int main(void)
{
    static double c[N][N], a[N][M], b[N][M];
    fill(a, sizeof a), fill(b, sizeof b), fill(c, sizeof c);
    rank_two_k(N, M, 1.5, 1.2, c, a, b);
    return told(c, sizeof c);
}
