/* SPDX-License-Identifier: Apache-2.0 */
/* one loop over all products */
void product(const int a[20][20], const int b[20][20], int c[20][20])
{
    int i = 0, j = 0, k = 0, sum = 0;
    while (i < 20) {
        sum += a[i][k] * b[k][j];
        if (++k < 20)
            continue;
        c[i][j] = sum;
        sum = k = 0;
        if (++j == 20)
            j = 0, i++;
    }
}

void call(const void *in, void *out) { product(in, (const int (*)[20])in + 20, out); }
