// SPDX-License-Identifier: Apache-2.0
// offload: product
// iterations: 262144
/* The product of two 64 by 64 matrices in double. */
#include <stdio.h>

#define N 64

void product(const double a[N][N], const double b[N][N], double c[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

int main(void)
{
    static double a[N][N], b[N][N], c[N][N];
    /* small whole numbers: every sum is exact */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 31 + j * 17) % 23 - 11;
            b[i][j] = (i * 13 + j * 41) % 29 - 14;
        }
    product((const double(*)[N])a, (const double(*)[N])b, c);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            long sum = 0;
            for (int k = 0; k < N; k++)
                sum += ((i * 31 + k * 17) % 23 - 11) * ((k * 13 + j * 41) % 29 - 14);
            if (c[i][j] != sum) {
                printf("c[%d][%d] = %g, want %ld\n", i, j, c[i][j], sum);
                return 1;
            }
        }
    printf("ok\n");
    return 0;
}
