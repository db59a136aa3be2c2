/* SPDX-License-Identifier: Apache-2.0 */
/* sizes that the call tells */
void matvec(int rows, int columns, const int a[rows][columns], const int x[columns], int y[rows])
{
    for (int i = 0; i < rows; i++) {
        int sum = 0;
        for (int j = 0; j < columns; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}

void call(const void *in, void *out) { matvec(16, 24, in, (const int *)in + 384, out); }
