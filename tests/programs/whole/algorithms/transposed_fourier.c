/* SPDX-License-Identifier: Apache-2.0 */
/* offload: transformed */
/* Fourier transform of 64 complex doubles as two rounds of transforms of eight with a transposition
   between them, through local arrays and pointers that are handed on. */
#include <math.h>
#include <stdio.h>

#define SIDE 8
#define SIZE (SIDE * SIDE)
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

typedef struct complex_number {
    double x, y;
} complex_number;

static const unsigned char reversed[SIDE] = {0, 4, 2, 6, 1, 5, 3, 7};

static complex_number times(complex_number a, complex_number b)
{
    complex_number c = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
    return c;
}

static void pair(complex_number *a, complex_number *b)
{
    complex_number sum = {a->x + b->x, a->y + b->y}, difference = {a->x - b->x, a->y - b->y};
    *a = sum;
    *b = difference;
}

static void eight(complex_number v[SIDE])
{
    static const complex_number turns[3] = {
        {0.70710678118654752440, -0.70710678118654752440}, {0, -1},
        {-0.70710678118654752440, -0.70710678118654752440}};
    int i;

    for (i = 0; i < 4; i++)
        pair(&v[i], &v[i + 4]);
    for (i = 0; i < 3; i++)
        v[5 + i] = times(v[5 + i], turns[i]);
    for (i = 0; i < 8; i += 4) {
        pair(&v[i], &v[i + 2]);
        pair(&v[i + 1], &v[i + 3]);
        v[i + 3] = times(v[i + 3], turns[1]);
        pair(&v[i], &v[i + 1]);
        pair(&v[i + 2], &v[i + 3]);
    }
}

void transformed(double work_x[SIZE], double work_y[SIZE], const complex_number turns[SIZE])
{
    double data_x[SIZE], data_y[SIZE];
    complex_number v[SIDE];
    int i, t;

    for (t = 0; t < SIDE; t++) {
        for (i = 0; i < SIDE; i++) {
            v[i].x = work_x[i * SIDE + t];
            v[i].y = work_y[i * SIDE + t];
        }
        eight(v);
        for (i = 0; i < SIDE; i++) {
            v[i] = times(v[i], turns[t * reversed[i]]);
            data_x[t * SIDE + i] = v[i].x;
            data_y[t * SIDE + i] = v[i].y;
        }
    }
    for (t = 0; t < SIDE; t++) {
        for (i = 0; i < SIDE; i++) {
            v[i].x = data_x[i * SIDE + t];
            v[i].y = data_y[i * SIDE + t];
        }
        eight(v);
        for (i = 0; i < SIDE; i++) {
            work_x[reversed[i] * SIDE + reversed[t]] = v[i].x;
            work_y[reversed[i] * SIDE + reversed[t]] = v[i].y;
        }
    }
}

static double x[SIZE], y[SIZE];
static complex_number turns[SIZE];

int main(void)
{
    int i, wrong = 0;

    for (i = 0; i < SIZE; i++) {
        x[i] = i == 1;
        turns[i].x = cos(2 * M_PI * i / SIZE);
        turns[i].y = -sin(2 * M_PI * i / SIZE);
    }
    transformed(x, y, turns);
    for (i = 0; i < SIZE; i++)
        wrong += fabs(x[i] - cos(2 * M_PI * i / SIZE)) > 1e-12 || fabs(y[i] + sin(2 * M_PI * i / SIZE)) > 1e-12;
    printf("%d wrong, %.6f\n", wrong, x[3]);
    return wrong;
}
