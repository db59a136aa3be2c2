/* SPDX-License-Identifier: Apache-2.0 */
/* sizes that the call tells */
void product_f64(int n, const double a[n][n], const double b[n][n], double c[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[i][j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}

void call(const void *in, void *out) { product_f64(40, in, (const double (*)[40])in + 40, out); }
