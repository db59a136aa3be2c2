// SPDX-License-Identifier: Apache-2.0
// offload: correlation
// iterations: 14784
/* of columns */
#include "numbers.h"

#include <math.h>
enum { N = 32, M = 28 };

void correlation(double data[N][M], double result[M][M], double mean[M], double deviation[M])
{
    for (int j = 0; j < M; j++) {
        mean[j] = 0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= N;
    }
    for (int j = 0; j < M; j++) {
        deviation[j] = 0;
        for (int i = 0; i < N; i++)
            deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        deviation[j] = sqrt(deviation[j] / N);
        deviation[j] = deviation[j] <= 0.1 ? 1 : deviation[j];
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt((double)N) * deviation[j];
        }
    for (int i = 0; i < M - 1; i++) {
        result[i][i] = 1;
        for (int j = i + 1; j < M; j++) {
            result[i][j] = 0;
            for (int k = 0; k < N; k++)
                result[i][j] += data[k][i] * data[k][j];
            result[j][i] = result[i][j];
        }
    }
    result[M - 1][M - 1] = 1;
}

int main(void)
{
    static double data[N][M], result[M][M], mean[M], deviation[M];
    fill(data, sizeof data);
    correlation(data, result, mean, deviation);
    return told(result, sizeof result);
}
