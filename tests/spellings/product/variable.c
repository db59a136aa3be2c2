/* SPDX-License-Identifier: Apache-2.0 */
/* sizes that the call tells */
void product(int rows, int inner, int columns, const int a[rows][inner], const int b[inner][columns],
             int c[rows][columns])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            int sum = 0;
            for (int k = 0; k < inner; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

void call(const void *in, void *out) { product(20, 20, 20, in, (const int (*)[20])in + 20, out); }
