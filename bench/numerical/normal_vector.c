// SPDX-License-Identifier: Apache-2.0
// offload: normal_vector
// iterations: 3234
/* y = a' (a x) */
#include "numbers.h"

enum { M = 38, N = 42 };

void normal_vector(double a[M][N], double x[N], double y[N], double ax[M])
{
    for (int i = 0; i < N; i++)
        y[i] = 0;
    for (int i = 0; i < M; i++) {
        ax[i] = 0;
        for (int j = 0; j < N; j++)
            ax[i] += a[i][j] * x[j];
        for (int j = 0; j < N; j++)
            y[j] += a[i][j] * ax[i];
    }
}

int main(void)
{
    static double a[M][N], x[N], y[N], ax[M];
    fill(a, sizeof a), fill(x, sizeof x);
    normal_vector(a, x, y, ax);
    return told(y, sizeof y);
}
