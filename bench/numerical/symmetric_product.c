// SPDX-License-Identifier: Apache-2.0
// offload: symmetric_product
// iterations: 5700
/* c = alpha a b + beta c, of whose symmetric a only the lower half is there */
#include "numbers.h"

enum { M = 20, N = 30 };

SIZED void symmetric_product(int m, int n, double alpha, double beta, double c[M][N],
                             double a[M][M], double b[M][N])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
        }
}

int main(void)
{
    static double c[M][N], a[M][M], b[M][N];
    fill(a, sizeof a), fill(b, sizeof b), fill(c, sizeof c);
    symmetric_product(M, N, 1.5, 1.2, c, a, b);
    return told(c, sizeof c);
}
