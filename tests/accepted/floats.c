/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* `float` and `double`: arithmetic, comparisons, conversions, square roots, as the host rounds them */
#include <math.h>
#include <stdio.h>

static double weights[8] = {1, 0.5, 0.25, -3, 1e-310, 7e300, -0.0, 3};
double total;

double top(const double *in, float *out, int n, float scale)
{
    double sum = 0, most = -1e300;
    for (int i = 0; i < n; i++) {
        sum += in[i] * scale;
        if (in[i] > most) most = in[i];
    }
    for (int i = 0; i < n; i++) {
        double x = in[i], p = weights[7];
        for (int k = 6; k >= 0; k--) p = p * x + weights[k];
        out[i] = (float)(p / (1.0 + fabs(x)) - most) + sqrtf((float)i) * (int)x;
    }
    total += fmax(sum, fmin(most, floor(sum))) + (double)(unsigned)n;
    return sum != sum ? 0 : sum;
}

int main(void)
{
    double in[20];
    float out[20];
    for (int i = 0; i < 20; i++) in[i] = i * 0.37 - 3;
    for (int k = 0; k < 3; k++) {
        double sum = top(in, out, 20 - k * 7, 1.0f / (k + 3));
        printf("%a %a %a %a\n", sum, total, out[1], out[5]);
    }
    return 0;
}
