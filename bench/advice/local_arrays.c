// SPDX-License-Identifier: Apache-2.0
// run: --offload multiply --platform src-6e
// A product of matrices in arrays of the kernel's own.
#include <stdio.h>

#define N 16

void multiply(const int *a, const int *b, int *c)
{
    int x[N * N], y[N * N];
    for (int i = 0; i < N * N; i++) {
        x[i] = a[i];
        y[i] = b[i];
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += x[i * N + k] * y[k * N + j];
            c[i * N + j] = sum;
        }
}

int main(void)
{
    static int a[10][N * N], b[N * N], c[10][N * N];
    for (int i = 0; i < N * N; i++)
        b[i] = i % 5;
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < N * N; j++)
            a[i][j] = i + j;
        multiply(a[i], b, c[i]);
    }
    printf("%d\n", c[9][100]);
    return 0;
}
