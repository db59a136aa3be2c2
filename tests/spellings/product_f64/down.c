/* SPDX-License-Identifier: Apache-2.0 */
/* rows and columns are counted down */
void product_f64(const double a[40][40], const double b[40][40], double c[40][40])
{
    for (short i = 39; i >= 0; i--) {
        for (short j = 39; j >= 0; j--)
            c[i][j] = 0;
        for (short k = 0; k < 40; k++)
            for (short j = 39; j >= 0; j--)
                c[i][j] += a[i][k] * b[k][j];
    }
}

void call(const void *in, void *out) { product_f64(in, (const double (*)[40])in + 40, out); }
