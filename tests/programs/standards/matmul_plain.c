// SPDX-License-Identifier: Apache-2.0
// offload: matmul
// A matrix times its inverse.
#include <stdint.h>
#include <stdio.h>

#define N 16

void matmul(const int32_t a[N][N], const int32_t b[N][N], int32_t c[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int32_t sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

int main(void)
{
    static int32_t a[N][N], b[N][N], c[N][N];
    int wrong = 0;
    for (int i = 0; i < N; i++) /* Pascal's triangle, and with signs its inverse */
        for (int j = 0; j <= i; j++) {
            a[i][j] = j == 0 ? 1 : a[i - 1][j - 1] + a[i - 1][j];
            b[i][j] = (i + j) % 2 ? -a[i][j] : a[i][j];
        }
    matmul(a, b, c);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            wrong += c[i][j] != (i == j);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
