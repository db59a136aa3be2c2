/* SPDX-License-Identifier: Apache-2.0 */
/* offload: strided */
/* Fourier transform of doubles in place: halving strides, twiddle factors from tables that are
   computed with cos and sin. */
#include <math.h>
#include <stdio.h>

#define SIZE 64
#define PI 3.14159265358979323846

typedef struct {
    double real[SIZE], imag[SIZE];
    double real_turns[SIZE / 2], imag_turns[SIZE / 2];
} transform;

void strided(double real[SIZE], double imag[SIZE], double real_turns[SIZE / 2], double imag_turns[SIZE / 2])
{
    int stride, first, k, step = 1;

    for (stride = SIZE / 2; stride > 0; stride /= 2, step *= 2)
        for (first = 0; first < SIZE; first += 2 * stride)
            for (k = first; k < first + stride; k++) {
                int other = k + stride, turn = (k - first) * step;
                double x = real[k] - real[other], y = imag[k] - imag[other];

                real[k] += real[other];
                imag[k] += imag[other];
                real[other] = x * real_turns[turn] - y * imag_turns[turn];
                imag[other] = x * imag_turns[turn] + y * real_turns[turn];
            }
}

static transform t;

int main(void)
{
    int i;
    double power = 0, energy = 0;

    for (i = 0; i < SIZE; i++) {
        t.real[i] = sin(2 * PI * 5 * i / SIZE) + (i % 3);
        t.imag[i] = 0;
        energy += t.real[i] * t.real[i];
        if (i < SIZE / 2) {
            t.real_turns[i] = cos(2 * PI * i / SIZE);
            t.imag_turns[i] = -sin(2 * PI * i / SIZE);
        }
    }
    strided(t.real, t.imag, t.real_turns, t.imag_turns);
    for (i = 0; i < SIZE; i++)
        power += t.real[i] * t.real[i] + t.imag[i] * t.imag[i];
    i = fabs(power / SIZE - energy) > 1e-9;
    printf("%.9f %.9f %d\n", power / SIZE, energy, i);
    return i;
}
