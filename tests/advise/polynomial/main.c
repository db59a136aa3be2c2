// SPDX-License-Identifier: Apache-2.0
/* A polynomial of many terms in float for many numbers. */
#include <stdio.h>
#define N 20000
static float x[N], y[N];
void evaluate(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        float s = 0.5f;
        for (int k = 0; k < 24; k++)
            s = s * in[i] + (float)(k - 12);
        out[i] = s;
    }
}
int main(void)
{
    float s = 0;
    for (int i = 0; i < N; i++)
        x[i] = i / (float)N - 0.5f;
    for (int round = 0; round < 10; round++) {
        evaluate(x, y, N);
        s += y[round];
    }
    printf("%f\n", s);
    return 0;
}
