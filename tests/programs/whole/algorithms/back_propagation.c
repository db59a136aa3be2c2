/* SPDX-License-Identifier: Apache-2.0 */
/* offload: train */
/* A network of two hidden layers taught by back propagation, in double, with a sigmoid made of exp
   and weights that are scaled by a square root. */
#include <math.h>
#include <stdio.h>

#define INPUTS 5
#define HIDDEN 8
#define OUTPUTS 3
#define SAMPLES 4
#define RATE 0.05

static void sigmoid(double a[], double slopes[], int n)
{
    int i;
    for (i = 0; i < n; i++) {
        a[i] = 1.0 / (1.0 + exp(-a[i]));
        slopes[i] = a[i] * (1.0 - a[i]);
    }
}

static void add_biases(const double biases[], double a[], int n)
{
    int i;
    for (i = 0; i < n; i++)
        a[i] = a[i] + biases[i];
}

static void forward(const double *weights, const double *biases, const double *in, double *out, int n, int m)
{
    int i, j;
    for (j = 0; j < m; j++) {
        out[j] = 0;
        for (i = 0; i < n; i++)
            out[j] += weights[j * n + i] * in[i];
    }
    add_biases(biases, out, m);
}

static void softmax(double net[OUTPUTS], double out[OUTPUTS])
{
    int i;
    double sum = 0;
    for (i = 0; i < OUTPUTS; i++)
        sum += exp(-net[i]);
    for (i = 0; i < OUTPUTS; i++)
        out[i] = exp(-net[i]) / sum;
}

static void backward(const double *weights, const double *errors, const double *slopes, double *before, int n, int m)
{
    int i, j;
    for (i = 0; i < n; i++) {
        before[i] = 0;
        for (j = 0; j < m; j++)
            before[i] += errors[j] * weights[j * n + i];
        before[i] *= slopes[i];
    }
}

static void update(double *weights, double *biases, const double *errors, const double *in, int n, int m)
{
    int i, j;
    double norm = 0;
    for (j = 0; j < m; j++) {
        for (i = 0; i < n; i++) {
            weights[j * n + i] -= errors[j] * in[i] * RATE;
            norm += weights[j * n + i] * weights[j * n + i];
        }
        biases[j] -= errors[j] * RATE;
    }
    norm = sqrt(norm);
    for (j = 0; j < m; j++)
        for (i = 0; i < n; i++)
            weights[j * n + i] = weights[j * n + i] / norm;
}

void train(double weights1[INPUTS * HIDDEN], double weights2[HIDDEN * OUTPUTS], double biases1[HIDDEN],
    double biases2[OUTPUTS], double samples[SAMPLES * INPUTS], double targets[SAMPLES * OUTPUTS])
{
    int i, j;
    double a1[HIDDEN], a2[OUTPUTS], slopes1[HIDDEN], slopes2[OUTPUTS];
    double out[OUTPUTS], errors1[HIDDEN], errors2[OUTPUTS];

    for (i = 0; i < SAMPLES; i++) {
        forward(weights1, biases1, &samples[i * INPUTS], a1, INPUTS, HIDDEN);
        sigmoid(a1, slopes1, HIDDEN);
        forward(weights2, biases2, a1, a2, HIDDEN, OUTPUTS);
        sigmoid(a2, slopes2, OUTPUTS);
        softmax(a2, out);
        for (j = 0; j < OUTPUTS; j++)
            errors2[j] = -(out[j] - targets[i * OUTPUTS + j]) * slopes2[j];
        backward(weights2, errors2, slopes1, errors1, HIDDEN, OUTPUTS);
        update(weights2, biases2, errors2, a1, HIDDEN, OUTPUTS);
        update(weights1, biases1, errors1, &samples[i * INPUTS], INPUTS, HIDDEN);
    }
}

double weights1[INPUTS * HIDDEN], weights2[HIDDEN * OUTPUTS], biases1[HIDDEN], biases2[OUTPUTS];
double samples[SAMPLES * INPUTS], targets[SAMPLES * OUTPUTS];

int main(void)
{
    int i;
    double sum = 0;

    for (i = 0; i < INPUTS * HIDDEN; i++)
        weights1[i] = (i * 37 % 19 - 9) / 10.0;
    for (i = 0; i < HIDDEN * OUTPUTS; i++)
        weights2[i] = (i * 31 % 17 - 8) / 10.0;
    for (i = 0; i < SAMPLES * INPUTS; i++)
        samples[i] = (i * 7 % 5) / 4.0;
    for (i = 0; i < SAMPLES * OUTPUTS; i++)
        targets[i] = i % OUTPUTS == i / OUTPUTS % OUTPUTS;
    train(weights1, weights2, biases1, biases2, samples, targets);
    for (i = 0; i < INPUTS * HIDDEN; i++)
        sum += weights1[i] * i;
    for (i = 0; i < HIDDEN * OUTPUTS; i++)
        sum += weights2[i] * i;
    printf("%.9f\n", sum);
    return !(sum > -1000 && sum < 1000);
}
