/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* of `math.h` what is exact: frexp, ldexp, modf, ilogb, logb, fdim, nextafter, fpclassify and the like */
#include <math.h>
#include <stdio.h>

void top(const double *in, double *out, int *kinds, int n)
{
    for (int i = 0; i < n; i++) {
        int exponent;
        double whole, part = modf(in[i], &whole), mantissa = frexp(in[i], &exponent);
        out[i] = part + ldexp(mantissa, i) * whole + fdim(in[i], 3) + nextafter(in[i], 0) + logb(in[i]);
        kinds[i] = exponent + 100 * fpclassify(in[i]) + 1000 * !!signbit(in[i]) + isnormal(in[i]) + ilogb(in[i]);
    }
}

int main(void)
{
    double in[6] = {0.3, -17.25, 1e300, -5e-310, INFINITY, 1024}, out[6];
    int kinds[6];
    top(in, out, kinds, 6);
    for (int i = 0; i < 6; i++)
        printf("%.12g %d\n", out[i], kinds[i]);
    return 0;
}
