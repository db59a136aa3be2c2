/* SPDX-License-Identifier: Apache-2.0 */
/* offload: transform */
/* complex numbers: all operators, and of `complex.h` creal, cimag, conj, cabs, carg, cexp */
#include <complex.h>
#include <stdio.h>

#define N 8

void transform(const double _Complex *in, double _Complex *out, double *sizes)
{
    const double turn = -6.283185307179586 / N;
    for (int k = 0; k < N; k++) {
        double _Complex sum = 0;
        for (int n = 0; n < N; n++)
            sum += in[n] * cexp(I * (turn * (n * k)));
        out[k] = sum / (1 + I * k) - conj(in[k]);
        sizes[k] = cabs(out[k]) + carg(out[k]);
    }
}

int main(void)
{
    double _Complex in[N], out[N];
    double sizes[N];
    for (int i = 0; i < N; i++)
        in[i] = (i * 5 % N) + I * (i * 3 % N - 2.5);
    transform(in, out, sizes);
    for (int i = 0; i < N; i++)
        printf("%.9g %.9g %.9g\n", creal(out[i]), cimag(out[i]), sizes[i]);
    return 0;
}
