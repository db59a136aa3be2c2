/* SPDX-License-Identifier: Apache-2.0 */
/* offload: layer */
/* of `math.h` also sinh, cosh, tanh and their inverses, expm1 and log1p, within 3 ulp */
#include <math.h>
#include <stdio.h>

void layer(const float *weights, const float *x, float *y, int n, double *sum)
{
    for (int i = 0; i < n; i++) {
        float a = 0;
        for (int k = 0; k < 4; k++)
            a += weights[4 * i + k] * x[k];
        y[i] = tanhf(a);
        *sum += log1p(fabs(a));
    }
}

int main(void)
{
    float weights[24], x[4] = {0.5f, -1, 0.25f, 2}, y[6];
    double sum = 0;
    for (int i = 0; i < 24; i++)
        weights[i] = (i * 7 % 11 - 5) * 0.125f;
    layer(weights, x, y, 6, &sum);
    for (int i = 0; i < 6; i++)
        printf("%a\n", y[i]);
    printf("%a\n", sum);
    return 0;
}
