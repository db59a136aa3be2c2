// SPDX-License-Identifier: Apache-2.0
// offload: means_of_nine
// iterations: 5776
/* on a plane, in place, in which each waits for the one before */
#include "numbers.h"

enum { N = 40, STEPS = 4 };

void means_of_nine(double a[N][N])
{
    for (int t = 0; t < STEPS; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++) {
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j]
                    + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
            }
}

int main(void)
{
    static double a[N][N];
    fill(a, sizeof a);
    means_of_nine(a);
    return told(a, sizeof a);
}
