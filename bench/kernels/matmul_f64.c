// SPDX-License-Identifier: Apache-2.0
// offload: matmul
/* 32 by 32 matrix product in double. */
#include <stdint.h>
#include <stdio.h>

#define N 32

void matmul(const double a[N][N], const double b[N][N], double c[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

int main(void)
{
    static double a[N][N], b[N][N], c[N][N];
    static int64_t ia[N][N], ib[N][N];
    uint32_t seed = 13;

    /* multiples of 1/256 of up to 12 bits: every sum is exact, whatever the order of the additions */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            seed = seed * 1664525u + 1013904223u;
            ia[i][j] = (int64_t)(seed >> 20) - 2048;
            ib[i][j] = (int64_t)(seed >> 8 & 4095) - 2048;
            a[i][j] = (double)ia[i][j] / 256.0;
            b[i][j] = (double)ib[i][j] / 256.0;
        }
    matmul((const double (*)[N])a, (const double (*)[N])b, c);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int64_t want = 0;
            for (int k = 0; k < N; k++)
                want += ia[i][k] * ib[k][j];
            if (c[i][j] * 65536.0 != (double)want) {
                printf("c[%d][%d] = %.17g, want %.17g\n", i, j, c[i][j], (double)want / 65536.0);
                return 1;
            }
        }
    printf("ok\n");
    return 0;
}
