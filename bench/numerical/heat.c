// SPDX-License-Identifier: Apache-2.0
// offload: heat
// iterations: 20480
/* in a cube, by turns from one into the other */
#include "numbers.h"

enum { N = 10, STEPS = 20 };
#define SECOND(a, b, c) 0.125 * (a - 2.0 * b + c)
#define STEP(to, from)                                                                             \
    for (int i = 1; i < n - 1; i++)                                                                \
        for (int j = 1; j < n - 1; j++)                                                            \
            for (int k = 1; k < n - 1; k++) {                                                      \
                to[i][j][k] = SECOND(from[i + 1][j][k], from[i][j][k], from[i - 1][j][k])     \
                    + SECOND(from[i][j + 1][k], from[i][j][k], from[i][j - 1][k])                  \
                    + SECOND(from[i][j][k + 1], from[i][j][k], from[i][j][k - 1]) + from[i][j][k]; \
            }

SIZED void heat(int n, int steps, double a[N][N][N], double b[N][N][N])
{
    for (int t = 0; t < steps; t++) {
        STEP(b, a)
        STEP(a, b)
    }
}

int main(void)
{
    static double a[N][N][N], b[N][N][N];
    fill(a, sizeof a), fill(b, sizeof b);
    heat(N, STEPS, a, b);
    return told(a, sizeof a);
}
