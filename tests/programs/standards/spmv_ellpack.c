// SPDX-License-Identifier: Apache-2.0
// offload: spmv_ellpack
// A sparse matrix with four entries a row (ELLPACK) times a vector: row i sums i, i + 1, i + 2, i + 3.
#include <stdint.h>
#include <stdio.h>

#define N 128
#define WIDTH 4

void spmv_ellpack(const int32_t *values, const int32_t *columns, const int32_t *x, int32_t *y, int rows)
{
    for (int i = 0; i < rows; i++) {
        int32_t sum = 0;
        for (int j = 0; j < WIDTH; j++)
            sum += values[i * WIDTH + j] * x[columns[i * WIDTH + j]];
        y[i] = sum;
    }
}

int main(void)
{
    static int32_t values[N * WIDTH], columns[N * WIDTH], x[N], y[N];
    int wrong = 0;
    for (int i = 0; i < N; i++)
        x[i] = 3 * i - 100;
    for (int i = 0; i < N * WIDTH; i++) {
        columns[i] = (i / WIDTH + i % WIDTH) % N;
        values[i] = i % WIDTH == 3 ? -1 : 1;
    }
    spmv_ellpack(values, columns, x, y, N);
    for (int i = 0; i < N - 3; i++)
        wrong += y[i] != 2 * (3 * i - 100);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
