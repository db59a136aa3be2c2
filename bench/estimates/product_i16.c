// SPDX-License-Identifier: Apache-2.0
// offload: product_i16
/* A product of matrices of 16 bits, four columns at a time. */
#include <stdint.h>
#define N 32

void product_i16(const int16_t a[N][N], const int16_t b[N][N], int32_t c[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j += 4) {
            int32_t sum[4] = {0};
            for (int k = 0; k < N; k++)
                for (int l = 0; l < 4; l++)
                    sum[l] += a[i][k] * b[k][j + l];
            for (int l = 0; l < 4; l++)
                c[i][j + l] = sum[l];
        }
}
