// SPDX-License-Identifier: Apache-2.0
// offload: rank_k
// iterations: 9765
/* the lower half of c = alpha a a' + beta c */
#include "numbers.h"

enum { N = 30, M = 20 };

void rank_k(double alpha, double beta, double c[N][N], double a[N][M])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            c[i][j] *= beta;
        for (int k = 0; k < M; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += alpha * a[i][k] * a[j][k];
    }
}

int main(void)
{
    static double c[N][N], a[N][M];
    fill(a, sizeof a), fill(c, sizeof c);
    rank_k(1.5, 1.2, c, a);
    return told(c, sizeof c);
}
