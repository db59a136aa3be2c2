/* SPDX-License-Identifier: Apache-2.0 */
#define SIZE 24

void product(const float a[SIZE][SIZE], const float b[SIZE][SIZE], float c[SIZE][SIZE])
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            float sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
