// SPDX-License-Identifier: Apache-2.0
// offload: two_vectors
// iterations: 3200
/* x += a y and v += a' w */
#include "numbers.h"

enum { N = 40 };

void two_vectors(double x[N], double v[N], double y[N], double w[N], double a[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] += a[i][j] * y[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            v[i] += a[j][i] * w[j];
}

int main(void)
{
    static double x[N], v[N], y[N], w[N], a[N][N];
    fill(x, sizeof x), fill(v, sizeof v), fill(y, sizeof y), fill(w, sizeof w), fill(a, sizeof a);
    two_vectors(x, v, y, w, a);
    return told(x, sizeof x) + told(v, sizeof v);
}
