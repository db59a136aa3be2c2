// SPDX-License-Identifier: Apache-2.0
// offload: durbin
// iterations: 2340
/* a Toeplitz system, after Levinson and Durbin */
#include "numbers.h"

enum { N = 40 };

SIZED void durbin(int n, double r[N], double y[N])
{
    double z[N], alpha = -r[0], beta = 1;
    y[0] = -r[0];
    for (int k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}

int main(void)
{
    static double r[N], y[N];
    fill(r, sizeof r);
    for (int i = 0; i < N; i++)
        r[i] /= 4 * N;
    durbin(N, r, y);
    return told(y, sizeof y);
}
