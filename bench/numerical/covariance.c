// SPDX-License-Identifier: Apache-2.0
// offload: covariance
// iterations: 14784
/* of columns */
#include "numbers.h"

enum { N = 32, M = 28 };

SIZED void covariance(int m, int n, double data[N][M], double result[M][M], double mean[M])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= (double)n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            result[i][j] = 0;
            for (int k = 0; k < n; k++)
                result[i][j] += data[k][i] * data[k][j];
            result[i][j] /= n - 1.0;
            result[j][i] = result[i][j];
        }
}

int main(void)
{
    static double data[N][M], result[M][M], mean[M];
    fill(data, sizeof data);
    covariance(M, N, data, result, mean);
    return told(result, sizeof result);
}
