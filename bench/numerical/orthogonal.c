// SPDX-License-Identifier: Apache-2.0
// offload: orthogonal
// iterations: 18600
/* a = q r, after Gram and Schmidt */
#include "numbers.h"

#include <math.h>
enum { M = 20, N = 30 };

void orthogonal(double a[M][N], double r[N][N], double q[M][N])
{
    for (int k = 0; k < N; k++) {
        double norm = 0;
        for (int i = 0; i < M; i++)
            norm += a[i][k] * a[i][k];
        r[k][k] = sqrt(norm);
        for (int i = 0; i < M; i++)
            q[i][k] = a[i][k] / r[k][k];
        for (int j = k + 1; j < N; j++) {
            r[k][j] = 0;
            for (int i = 0; i < M; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (int i = 0; i < M; i++)
                a[i][j] -= q[i][k] * r[k][j];
        }
    }
}

int main(void)
{
    static double a[M][N], r[N][N], q[M][N];
    fill(a, sizeof a);
    orthogonal(a, r, q);
    return told(r, sizeof r / 2);
}
