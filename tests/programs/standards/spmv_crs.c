// SPDX-License-Identifier: Apache-2.0
// offload: spmv_crs
// A sparse matrix in compressed rows times a vector: the second differences of squares are 2.
#include <stdint.h>
#include <stdio.h>

#define N 100

void spmv_crs(const int32_t *values, const int32_t *columns, const int32_t *starts, const int32_t *x,
              int32_t *y, int rows)
{
    for (int i = 0; i < rows; i++) {
        int32_t sum = 0;
        for (int j = starts[i]; j < starts[i + 1]; j++)
            sum += values[j] * x[columns[j]];
        y[i] = sum;
    }
}

int main(void)
{
    static int32_t values[3 * N], columns[3 * N], starts[N + 1], x[N], y[N];
    int n = 0, wrong = 0;
    for (int i = 0; i < N; i++) {
        x[i] = i * i;
        starts[i] = n;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < N && i != 50) {
                columns[n] = j;
                values[n++] = j == i ? -2 : 1;
            }
    }
    starts[N] = n;
    spmv_crs(values, columns, starts, x, y, N);
    for (int i = 0; i < N; i++)
        wrong += y[i] != (i == 50 ? 0 : i == N - 1 ? 2 - N * N : i == 0 ? 1 : 2);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
