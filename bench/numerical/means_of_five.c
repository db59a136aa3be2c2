// SPDX-License-Identifier: Apache-2.0
// offload: means_of_five
// iterations: 31360
/* on a plane, by turns from one into the other */
#include "numbers.h"

enum { N = 30, STEPS = 20 };

SIZED void means_of_five(int n, int steps, double a[N][N], double b[N][N])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
    }
}

int main(void)
{
    static double a[N][N], b[N][N];
    fill(a, sizeof a), fill(b, sizeof b);
    means_of_five(N, STEPS, a, b);
    return told(a, sizeof a);
}
