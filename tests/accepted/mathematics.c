/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* functions of `math.h`: exp, log, pow, sin, atan2, cbrt, hypot, fmod and the like, of `float` and `double`, within an ulp */
#include <math.h>
#include <stdio.h>

void top(const double *in, double *out, float *rest, int n)
{
    for (int i = 0; i < n; i++) {
        double x = in[i];
        out[i] = exp(-x) * cbrt(x);
        rest[i] = logf((float)x);
    }
    for (int i = 0; i < n; i++) out[i] = fmod(out[i], 2.5);
}

int main(void)
{
    double in[9], out[9];
    float rest[9];
    for (int i = 0; i < 9; i++) in[i] = i * 0.37 + 0.01;
    top(in, out, rest, 9);
    for (int i = 0; i < 9; i++) printf("%.12g %.5g\n", out[i], rest[i]);
    return 0;
}
