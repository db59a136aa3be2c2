/* SPDX-License-Identifier: Apache-2.0 */
/* offload: spectra */
/* Arrays of complex numbers and of structs that calls of several iterations use in turns. */
#include <complex.h>
#include <stdio.h>

#define N 8

struct bin {
    double size;
    int place;
};

static void load(const double *in, int n, double _Complex z[N])
{
    for (int i = 0; i < N; i++)
        z[i] = in[n * N + i] + I * (i - n);
}

static void turn(const double _Complex z[N], double _Complex w[N])
{
    for (int k = 0; k < N; k++) {
        double _Complex sum = 0;
        for (int i = 0; i < N; i++)
            sum += z[i] * (1 + I * (k * i % N));
        w[k] = sum;
    }
}

static void rank(const double _Complex w[N], struct bin bins[N])
{
    for (int k = 0; k < N; k++)
        bins[k] = (struct bin){creal(w[k]) * creal(w[k]) + cimag(w[k]) * cimag(w[k]), k};
}

static void save(const struct bin bins[N], int n, double *out)
{
    for (int k = 0; k < N; k++)
        out[n * N + k] = bins[k].size + bins[N - 1 - k].place;
}

void spectra(const double *in, double *out, int count)
{
#pragma tandem dataflow
    for (int n = 0; n < count; n++) {
        double _Complex z[N], w[N];
        struct bin bins[N];
        load(in, n, z);
        turn(z, w);
        rank(w, bins);
        save(bins, n, out);
    }
}

int main(void)
{
    double in[4 * N], out[4 * N];
    for (int i = 0; i < 4 * N; i++)
        in[i] = i * 7 % 13 - 6;
    spectra(in, out, 4);
    for (int i = 0; i < 4 * N; i++)
        printf("%.10g\n", out[i]);
    return 0;
}
