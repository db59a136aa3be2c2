// SPDX-License-Identifier: Apache-2.0
// offload: rank_two
// iterations: 4840
/* a += u v' + p q', x = beta a' y + z, w = alpha a x */
#include "numbers.h"

enum { N = 40 };

SIZED void rank_two(int n, double alpha, double beta, double a[N][N], double u[N], double v[N],
                    double p[N], double q[N], double w[N], double x[N], double y[N], double z[N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = a[i][j] + u[i] * v[j] + p[i] * q[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] = x[i] + beta * a[j][i] * y[j];
    for (int i = 0; i < n; i++)
        x[i] = x[i] + z[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] = w[i] + alpha * a[i][j] * x[j];
}

int main(void)
{
    static double a[N][N], u[N], v[N], p[N], q[N], w[N], x[N], y[N], z[N];
    fill(a, sizeof a), fill(u, sizeof u), fill(v, sizeof v), fill(p, sizeof p), fill(q, sizeof q);
    fill(y, sizeof y), fill(z, sizeof z);
    rank_two(N, 1.5, 1.2, a, u, v, p, q, w, x, y, z);
    return told(w, sizeof w);
}
