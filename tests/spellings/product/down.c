/* SPDX-License-Identifier: Apache-2.0 */
/* counting down */
void product(const int a[20][20], const int b[20][20], int c[20][20])
{
    for (short i = 19; i >= 0; i--)
        for (short j = 19; j >= 0; j--) {
            int sum = 0;
            for (short k = 19; k >= 0; k--)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

void call(const void *in, void *out) { product(in, (const int (*)[20])in + 20, out); }
