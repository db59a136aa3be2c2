// SPDX-License-Identifier: Apache-2.0
// offload: implicit_heat
// iterations: 25920
/* heat on a plane by turns implicit along columns and rows */
#include "numbers.h"

enum { N = 20, STEPS = 20 };

SIZED void implicit_heat(int n, int steps, double u[N][N], double v[N][N], double p[N][N],
                         double q[N][N])
{
    const double a = -0.2, b = 1.4, c = -0.2, d = -0.3, e = 1.6, f = -0.3;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1;
            p[i][0] = 0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - f * u[j][i + 1]
                           - a * q[i][j - 1])
                    / (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1;
            p[i][0] = 0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - c * v[i + 1][j]
                           - d * q[i][j - 1])
                    / (d * p[i][j - 1] + e);
            }
            u[i][n - 1] = 1;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}

int main(void)
{
    static double u[N][N], v[N][N], p[N][N], q[N][N];
    fill(u, sizeof u);
    implicit_heat(N, STEPS, u, v, p, q);
    return told(u, sizeof u);
}
