// SPDX-License-Identifier: Apache-2.0
// offload: fourier
// iterations: 5120
/* The Fourier transform of 1,024 complex numbers in double, by stages of one geometry (Pease): every
   stage reads elements half an array apart, and writes them side by side. */
#include <math.h>
#include <stdio.h>

#define N 1024
#define HALF (N / 2)

static void stage(double real[N], double imag[N], double to_real[N], double to_imag[N], const double cosines[HALF],
    const double sines[HALF], int mask)
{
    for (int i = 0; i < HALF; i++) {
        int turn = i & mask;
        double wr = cosines[turn], wi = sines[turn];
        double ar = real[i], ai = imag[i], br = real[i + HALF], bi = imag[i + HALF];
        double dr = ar - br, di = ai - bi;
        to_real[2 * i] = ar + br;
        to_imag[2 * i] = ai + bi;
        to_real[2 * i + 1] = dr * wr - di * wi;
        to_imag[2 * i + 1] = dr * wi + di * wr;
    }
}

/* `cosines` and `sines` of -2 pi i / N; the result's element k is at the place with the bits of k reversed */
void fourier(double real[N], double imag[N], const double cosines[HALF], const double sines[HALF])
{
#pragma tandem partition(a_real, 2)
    double a_real[N];
#pragma tandem partition(a_imag, 2)
    double a_imag[N];
#pragma tandem partition(b_real, 2)
    double b_real[N];
#pragma tandem partition(b_imag, 2)
    double b_imag[N];
    for (int i = 0; i < N; i++) {
        a_real[i] = real[i];
        a_imag[i] = imag[i];
    }
    for (int k = 0; k < 10; k += 2) {
        stage(a_real, a_imag, b_real, b_imag, cosines, sines, -1 << k);
        stage(b_real, b_imag, a_real, a_imag, cosines, sines, -2 << k);
    }
    for (int i = 0; i < N; i++) {
        real[i] = a_real[i];
        imag[i] = a_imag[i];
    }
}

int main(void)
{
    static double real[N], imag[N], cosines[HALF], sines[HALF], in[N];
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < HALF; i++) {
        cosines[i] = cos(-2 * pi * i / N);
        sines[i] = sin(-2 * pi * i / N);
    }
    for (int i = 0; i < N; i++)
        in[i] = real[i] = (i * 37 % 101 - 50) / 8.0 + sin(0.1 * i);
    fourier(real, imag, cosines, sines);
    for (int k = 0; k < N; k += 41) {
        double sr = 0, si = 0;
        int at = 0;
        for (int b = 0; b < 10; b++)
            at |= (k >> b & 1) << (9 - b);
        for (int i = 0; i < N; i++) {
            double x = -2 * pi * ((long)i * k % N) / N;
            sr += in[i] * cos(x);
            si += in[i] * sin(x);
        }
        if (fabs(sr - real[at]) > 1e-8 || fabs(si - imag[at]) > 1e-8) {
            printf("%d: %g %g, want %g %g\n", k, real[at], imag[at], sr, si);
            return 1;
        }
    }
    printf("ok\n");
    return 0;
}
