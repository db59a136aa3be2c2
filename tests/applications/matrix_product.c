// SPDX-License-Identifier: Apache-2.0
// offload: multiply
// A product of matrices; against multiplying a vector twice.
#include <stdint.h>
#include <stdio.h>

#define N 64

void multiply(const int16_t a[N][N], const int16_t b[N][N], int32_t c[N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int32_t sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}

int main(void)
{
    static int16_t a[N][N], b[N][N];
    static int32_t c[N][N];
    int64_t inner[N], wrong = 0;
    uint32_t sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (int16_t)(i * 37 - j * 91);
            b[i][j] = (int16_t)(i * j % 53 - 26);
        }
    multiply(a, b, c);
    for (int k = 0; k < N; k++) {
        inner[k] = 0;
        for (int j = 0; j < N; j++)
            inner[k] += (int64_t)b[k][j] * (j * j - 500);
    }
    for (int i = 0; i < N; i++) {
        int64_t left = 0, right = 0;
        for (int j = 0; j < N; j++) {
            left += (int64_t)c[i][j] * (j * j - 500);
            right += a[i][j] * inner[j];
            sum = sum * 31 + (uint32_t)c[i][j];
        }
        wrong += left != right;
    }
    printf("product %08x, %d wrong\n", (unsigned)sum, (int)wrong);
    return wrong != 0;
}
