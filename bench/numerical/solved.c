// SPDX-License-Identifier: Apache-2.0
// offload: solved
// iterations: 22100
/* a x = b by l u, and both triangles solved */
#include "numbers.h"

enum { N = 40 };

void solved(double a[N][N], double b[N], double x[N], double y[N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            double w = a[i][j];
            for (int k = 0; k < j; k++)
                w -= a[i][k] * a[k][j];
            a[i][j] = w / a[j][j];
        }
        for (int j = i; j < N; j++) {
            double w = a[i][j];
            for (int k = 0; k < i; k++)
                w -= a[i][k] * a[k][j];
            a[i][j] = w;
        }
    }
    for (int i = 0; i < N; i++) {
        double w = b[i];
        for (int j = 0; j < i; j++)
            w -= a[i][j] * y[j];
        y[i] = w;
    }
    for (int i = N - 1; i >= 0; i--) {
        double w = y[i];
        for (int j = i + 1; j < N; j++)
            w -= a[i][j] * x[j];
        x[i] = w / a[i][i];
    }
}

int main(void)
{
    static double a[N][N], b[N], x[N], y[N];
    fill(a, sizeof a), fill(b, sizeof b);
    for (int i = 0; i < N; i++)
        a[i][i] += 2 * N;
    solved(a, b, x, y);
    return told(x, sizeof x);
}
