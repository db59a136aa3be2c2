/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move */
void product_f64(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 40; i++, c += 40) {
        const double *q = b;
        for (double *r = c; r != c + 40; r++)
            *r = 0;
        for (int k = 0; k < 40; k++) {
            double x = *a++;
            for (double *r = c; r != c + 40; r++)
                *r += x * *q++;
        }
    }
}

void call(const void *in, void *out) { product_f64(in, (const double *)in + 1600, out); }
