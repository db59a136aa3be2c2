// SPDX-License-Identifier: Apache-2.0
// offload: triangle_solved
// iterations: 780
/* l x = b */
#include "numbers.h"

enum { N = 40 };

SIZED void triangle_solved(int n, double l[N][N], double x[N], double b[N])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] = x[i] / l[i][i];
    }
}

int main(void)
{
    static double l[N][N], x[N], b[N];
    fill(l, sizeof l), fill(b, sizeof b);
    for (int i = 0; i < N; i++)
        l[i][i] += 2 * N;
    triangle_solved(N, l, x, b);
    return told(x, sizeof x);
}
