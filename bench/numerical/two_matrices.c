// SPDX-License-Identifier: Apache-2.0
// offload: two_matrices
// iterations: 900
/* y = alpha a x + beta b x */
#include "numbers.h"

enum { N = 30 };

void two_matrices(double alpha, double beta, double a[N][N], double b[N][N], double sum[N],
                  double x[N], double y[N])
{
    for (int i = 0; i < N; i++) {
        sum[i] = y[i] = 0;
        for (int j = 0; j < N; j++) {
            sum[i] = a[i][j] * x[j] + sum[i];
            y[i] = b[i][j] * x[j] + y[i];
        }
        y[i] = alpha * sum[i] + beta * y[i];
    }
}

int main(void)
{
    static double a[N][N], b[N][N], sum[N], x[N], y[N];
    fill(a, sizeof a), fill(b, sizeof b), fill(x, sizeof x);
    two_matrices(1.5, 1.2, a, b, sum, x, y);
    return told(y, sizeof y);
}
