// SPDX-License-Identifier: Apache-2.0
// run: --offload evaluate --platform pcie3-x16
// held out
// Horner's rule in doubles.
#include <stdio.h>

void evaluate(const double *x, double *y, const double c[6], int n)
{
    for (int i = 0; i < n; i++) {
        double sum = c[5];
        for (int j = 4; j >= 0; j--)
            sum = sum * x[i] + c[j];
        y[i] = sum;
    }
}

int main(void)
{
    static double x[25][400], y[25][400];
    const double c[6] = {1, -0.5, 0.25, 3, -1, 0.125};
    for (int i = 0; i < 25; i++)
        for (int j = 0; j < 400; j++)
            x[i][j] = (i - j) / 16.0;
    for (int i = 0; i < 25; i++)
        evaluate(x[i], y[i], c, 400);
    printf("%g\n", y[24][399]);
    return 0;
}
