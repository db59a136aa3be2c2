// SPDX-License-Identifier: Apache-2.0
// offload: lower_upper
// iterations: 20540
/* a = l u, in place */
#include "numbers.h"

enum { N = 40 };

SIZED void lower_upper(int n, double a[N][N])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

int main(void)
{
    static double a[N][N];
    fill(a, sizeof a);
    for (int i = 0; i < N; i++)
        a[i][i] += 2 * N;
    lower_upper(N, a);
    return told(a, sizeof a);
}
