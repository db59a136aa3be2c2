/* SPDX-License-Identifier: Apache-2.0 */
#define N 8

#pragma tandem extent(a, 64 * 2)
#pragma tandem extent(b, 64 * 2)
#pragma tandem extent(c, 64 * 4)

void matrix_multiply(const short a[N][N], const short b[N][N], int c[N][N])
{
    int i, j, k;

    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            int sum = 0;

            for (k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
