// SPDX-License-Identifier: Apache-2.0
// offload: cholesky
// iterations: 10660
/* a = l l', in place */
#include "numbers.h"

#include <math.h>
enum { N = 40 };

void cholesky(double a[N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrt(a[i][i]);
    }
}

int main(void)
{
    static double a[N][N];
    fill(a, sizeof a);
    for (int i = 0; i < N; i++)
        a[i][i] += 2 * N;
    cholesky(a);
    return told(a, sizeof a);
}
