// SPDX-License-Identifier: Apache-2.0
// offload: add
#include <stdint.h>
#include <stdio.h>

#define N 64

void add(int32_t a[N][N], int32_t b[N][N], int32_t sum[N][N], int rows)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            sum[i][j] = a[i][j] + b[i][j];
}

int main(void)
{
    static int32_t a[N][N], b[N][N], sum[N][N];
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i * 1000 + j;
            b[i][j] = 7 * j - i;
        }
    add(a, b, sum, 48);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            wrong += sum[i][j] != (i < 48 ? 999 * i + 8 * j : 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
