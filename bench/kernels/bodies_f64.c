// SPDX-License-Identifier: Apache-2.0
// offload: forces
// iterations: 16384
/* The forces between 128 bodies in double, each on each. */
#include <math.h>
#include <stdio.h>

#define N 128

void forces(const double x[N], const double y[N], const double z[N], const double mass[N], double fx[N], double fy[N],
    double fz[N])
{
    double at_x[N], at_y[N], at_z[N], weight[N];
    for (int i = 0; i < N; i++) {
        at_x[i] = x[i];
        at_y[i] = y[i];
        at_z[i] = z[i];
        weight[i] = mass[i];
    }
    for (int i = 0; i < N; i++) {
        double sx = 0, sy = 0, sz = 0;
        for (int j = 0; j < N; j++) {
            double dx = at_x[j] - at_x[i], dy = at_y[j] - at_y[i], dz = at_z[j] - at_z[i];
            double square = dx * dx + dy * dy + dz * dz + 1e-4;
            double pull = weight[j] / (square * sqrt(square));
            sx += pull * dx;
            sy += pull * dy;
            sz += pull * dz;
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}

int main(void)
{
    static double x[N], y[N], z[N], mass[N], fx[N], fy[N], fz[N];
    for (int i = 0; i < N; i++) {
        x[i] = i * 37 % 101 / 16.0;
        y[i] = i * 53 % 97 / 16.0;
        z[i] = i * 71 % 89 / 16.0;
        mass[i] = 1 + i % 5;
    }
    forces(x, y, z, mass, fx, fy, fz);
    /* what pulls one pulls the other: weighted with the masses all forces come to nothing */
    double sum = 0, most = 0;
    for (int i = 0; i < N; i++) {
        sum += mass[i] * (fx[i] + fy[i] + fz[i]);
        most = fmax(most, fabs(fx[i]));
    }
    if (!(fabs(sum) < 1e-8 * N * most) || !(most > 1)) {
        printf("sum %g, most %g\n", sum, most);
        return 1;
    }
    printf("ok\n");
    return 0;
}
