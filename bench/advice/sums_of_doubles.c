// SPDX-License-Identifier: Apache-2.0
// run: --offload dot --platform pcie3-x16
// A sum of doubles: each addition waits for the one before it.
#include <stdio.h>

double dot(const double *a, const double *b, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(void)
{
    static double a[20000], b[20000];
    for (int i = 0; i < 20000; i++) {
        a[i] = i;
        b[i] = i % 7;
    }
    double all = 0;
    for (int i = 0; i < 4; i++)
        all += dot(a, b, 20000 - i);
    printf("%.0f\n", all);
    return 0;
}
