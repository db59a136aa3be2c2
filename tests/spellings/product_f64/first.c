/* SPDX-License-Identifier: Apache-2.0 */
/* set by the first product */
void product_f64(const double a[40][40], const double b[40][40], double c[40][40])
{
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 40; k++)
            for (int j = 0; j < 40; j++)
                c[i][j] = (k ? c[i][j] : 0.0) + a[i][k] * b[k][j];
}

void call(const void *in, void *out) { product_f64(in, (const double (*)[40])in + 40, out); }
