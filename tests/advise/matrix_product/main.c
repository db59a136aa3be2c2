// SPDX-License-Identifier: Apache-2.0
/* Matrices of whole numbers are multiplied, and compared with the transposed product. */
#include <stdint.h>
#include <stdio.h>
#define N 128
static int32_t a[N][N], b[N][N], c[N][N];
void multiply(const int32_t x[N][N], const int32_t y[N][N], int32_t z[N][N])
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            int32_t s = 0;
            for (int m = 0; m < N; m++)
                s += x[i][m] * y[m][k];
            z[i][k] = s;
        }
}
static int32_t trace(const int32_t x[N][N])
{
    int32_t s = 0;
    for (int i = 0; i < N; i++)
        s += x[i][i];
    return s;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            a[i][k] = i * 31 + k, b[i][k] = k * 17 - i;
    int32_t s = 0;
    for (int i = 0; i < 10; i++) {
        multiply(a, b, c);
        s += trace(c);
    }
    printf("%d\n", s);
    return 0;
}
