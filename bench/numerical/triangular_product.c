// SPDX-License-Identifier: Apache-2.0
// offload: triangular_product
// iterations: 5700
/* b = alpha a' b, with ones on the diagonal of a lower triangle */
#include "numbers.h"

enum { M = 20, N = 30 };

void triangular_product(double alpha, double a[M][M], double b[M][N])
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            for (int k = i + 1; k < M; k++)
                b[i][j] += a[k][i] * b[k][j];
            b[i][j] = alpha * b[i][j];
        }
}

int main(void)
{
    static double a[M][M], b[M][N];
    fill(a, sizeof a), fill(b, sizeof b);
    triangular_product(1.5, a, b);
    return told(b, sizeof b);
}
