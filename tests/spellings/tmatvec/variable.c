/* SPDX-License-Identifier: Apache-2.0 */
/* sizes that the call tells */
void tmatvec(int rows, int columns, const int a[rows][columns], const int x[rows], int y[columns])
{
    for (int j = 0; j < columns; j++) {
        int sum = 0;
        for (int i = 0; i < rows; i++)
            sum += a[i][j] * x[i];
        y[j] = sum;
    }
}

void call(const void *in, void *out) { tmatvec(24, 24, in, (const int *)in + 576, out); }
