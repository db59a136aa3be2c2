// SPDX-License-Identifier: Apache-2.0
// offload: both_ways
// iterations: 1634
/* s = r a and q = a p, in one sweep */
#include "numbers.h"

enum { N = 42, M = 38 };

SIZED void both_ways(int m, int n, double a[N][M], double s[M], double q[N], double p[M],
                     double r[N])
{
    for (int i = 0; i < m; i++)
        s[i] = 0;
    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}

int main(void)
{
    static double a[N][M], s[M], q[N], p[M], r[N];
    fill(a, sizeof a), fill(p, sizeof p), fill(r, sizeof r);
    both_ways(M, N, a, s, q, p, r);
    return told(s, sizeof s) + told(q, sizeof q);
}
