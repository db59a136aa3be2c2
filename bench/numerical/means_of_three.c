// SPDX-License-Identifier: Apache-2.0
// offload: means_of_three
// iterations: 1120
/* along a line, by turns from one into the other */
#include "numbers.h"

enum { N = 30, STEPS = 20 };

void means_of_three(double a[N], double b[N])
{
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < N - 1; i++)
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
    }
}

int main(void)
{
    static double a[N], b[N];
    fill(a, sizeof a), fill(b, sizeof b);
    means_of_three(a, b);
    return told(a, sizeof a);
}
