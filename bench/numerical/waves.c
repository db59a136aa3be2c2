// SPDX-License-Identifier: Apache-2.0
// offload: waves
// iterations: 34620
/* electric and magnetic fields on a plane, by finite differences in time */
#include "numbers.h"

enum { STEPS = 20, X = 20, Y = 30 };

void waves(double ex[X][Y], double ey[X][Y], double hz[X][Y], double pulse[STEPS])
{
    for (int t = 0; t < STEPS; t++) {
        for (int j = 0; j < Y; j++)
            ey[0][j] = pulse[t];
        for (int i = 1; i < X; i++)
            for (int j = 0; j < Y; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < X; i++)
            for (int j = 1; j < Y; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < X - 1; i++)
            for (int j = 0; j < Y - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

int main(void)
{
    static double ex[X][Y], ey[X][Y], hz[X][Y], pulse[STEPS];
    fill(ex, sizeof ex), fill(ey, sizeof ey), fill(hz, sizeof hz), fill(pulse, sizeof pulse);
    waves(ex, ey, hz, pulse);
    return told(hz, sizeof hz);
}
