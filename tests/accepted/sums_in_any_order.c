/* SPDX-License-Identifier: Apache-2.0 */
/* floating-point sums and products whose order is left open */
#pragma tandem extent(a, n * 8)
#pragma tandem extent(b, n * 4)
double top(const double *a, const float *b, int n)
{
    double sum = 1, product = 1;
    float weights = 0;
#pragma tandem reassociate
    for (int i = 0; i < n; i++) {
        sum += a[i] < 0 ? -a[i] : a[i];
        product *= 1 + a[i] / 1024;
    }
#pragma tandem reassociate
    for (int i = 0; i < n; i++)
        if (b[i] > 0.25f)
            weights += b[i];
    return sum * product + weights;
}
