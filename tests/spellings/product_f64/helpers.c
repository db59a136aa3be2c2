/* SPDX-License-Identifier: Apache-2.0 */
/* a function that adds a multiple of a row */
static void add_multiple(double *to, double factor, const double *from, int count)
{
    int j = 0;
    do
        to[j] += factor * from[j];
    while (++j < count);
}

void product_f64(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 1600; i++)
        c[i] = 0;
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 40; k++)
            add_multiple(c + 40 * i, a[40 * i + k], b + 40 * k, 40);
}

void call(const void *in, void *out) { product_f64(in, (const double *)in + 1600, out); }
