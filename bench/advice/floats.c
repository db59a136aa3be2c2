// SPDX-License-Identifier: Apache-2.0
// run: --offload saxpy --platform sgi-rasc-rc100
// held out
// Single precision, in place.
#include <stdio.h>

void saxpy(const float *x, float *y, float a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    static float x[15][5000], y[15][5000];
    for (int i = 0; i < 15; i++)
        for (int j = 0; j < 5000; j++)
            x[i][j] = i + j;
    for (int i = 0; i < 15; i++)
        saxpy(x[i], y[i], 0.5f * i, 5000);
    printf("%g\n", y[14][4999]);
    return 0;
}
