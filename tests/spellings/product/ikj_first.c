/* SPDX-License-Identifier: Apache-2.0 */
/* a row of the result at a time, set by the first product */
void product(const int a[20][20], const int b[20][20], int c[20][20])
{
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 20; k++)
            for (int j = 0; j < 20; j++)
                c[i][j] = (k ? c[i][j] : 0) + a[i][k] * b[k][j];
}

void call(const void *in, void *out) { product(in, (const int (*)[20])in + 20, out); }
