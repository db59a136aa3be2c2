// SPDX-License-Identifier: Apache-2.0
// offload: teach
// iterations: 57344
/* A network of one hidden layer taught by back-propagation in double; iterations are products of a
   weight. */
#include <math.h>
#include <stdio.h>

#define IN 16
#define HIDDEN 64
#define OUT 8
#define SAMPLES 16
#define RATE 0.125

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void forward(const double in[], int n, const double weights[], double out[], int m)
{
    for (int j = 0; j < m; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += in[i] * weights[j * n + i];
        out[j] = sigmoid(sum);
    }
}

static void update(const double in[], int n, double weights[], const double slopes[], int m)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            weights[j * n + i] -= RATE * slopes[j] * in[i];
}

void teach(const double samples[SAMPLES * IN], const double wanted[SAMPLES * OUT], double first[HIDDEN * IN],
    double second[OUT * HIDDEN])
{
    for (int s = 0; s < SAMPLES; s++) {
        double in[IN], hidden[HIDDEN], out[OUT], errors[OUT], slopes[HIDDEN];
        for (int i = 0; i < IN; i++)
            in[i] = samples[s * IN + i];
        forward(in, IN, first, hidden, HIDDEN);
        forward(hidden, HIDDEN, second, out, OUT);
        for (int j = 0; j < OUT; j++)
            errors[j] = (out[j] - wanted[s * OUT + j]) * out[j] * (1 - out[j]);
        for (int i = 0; i < HIDDEN; i++) {
            double sum = 0;
            for (int j = 0; j < OUT; j++)
                sum += errors[j] * second[j * HIDDEN + i];
            slopes[i] = sum * hidden[i] * (1 - hidden[i]);
        }
        update(hidden, HIDDEN, second, errors, OUT);
        update(in, IN, first, slopes, HIDDEN);
    }
}

static double missed(const double samples[], const double wanted[], const double first[], const double second[])
{
    double total = 0;
    for (int s = 0; s < SAMPLES; s++) {
        double hidden[HIDDEN], out[OUT];
        forward(samples + s * IN, IN, first, hidden, HIDDEN);
        forward(hidden, HIDDEN, second, out, OUT);
        for (int j = 0; j < OUT; j++)
            total += (out[j] - wanted[s * OUT + j]) * (out[j] - wanted[s * OUT + j]);
    }
    return total;
}

int main(void)
{
    static double samples[SAMPLES * IN], wanted[SAMPLES * OUT], first[HIDDEN * IN], second[OUT * HIDDEN];
    for (int i = 0; i < SAMPLES * IN; i++)
        samples[i] = (i * 29 % 17 - 8) / 8.0;
    for (int i = 0; i < SAMPLES * OUT; i++)
        wanted[i] = i % OUT == i / OUT % OUT;
    for (int i = 0; i < HIDDEN * IN; i++)
        first[i] = (i * 37 % 19 - 9) / 16.0;
    for (int i = 0; i < OUT * HIDDEN; i++)
        second[i] = (i * 31 % 23 - 11) / 32.0;
    double before = missed(samples, wanted, first, second);
    teach(samples, wanted, first, second);
    double after = missed(samples, wanted, first, second);
    if (!(after < before * 0.8)) {
        printf("missed by %g, before by %g\n", after, before);
        return 1;
    }
    printf("ok\n");
    return 0;
}
