/* SPDX-License-Identifier: Apache-2.0 */
/* offload: by_lists */
/* offload: by_cells */
/* Forces between points in space: with a list of each point's neighbours, and by the cells of a grid
   that hold the points in structs. */
#include <stdio.h>
#include <stdint.h>

#define POINTS 16
#define NEAR 4
#define SIDE 2
#define DENSE 4
#define ATTRACTION 1.5
#define REPULSION 2.0

typedef double real;

typedef struct {
    real x, y, z;
} vector;

typedef struct {
    int32_t x, y, z;
} place;

void by_lists(real force_x[POINTS], real force_y[POINTS], real force_z[POINTS], real at_x[POINTS], real at_y[POINTS],
    real at_z[POINTS], int32_t neighbours[POINTS * NEAR])
{
    real dx, dy, dz, inverse2, inverse6, potential, force, my_x, my_y, my_z, fx, fy, fz;
    int32_t i, j, other;

    for (i = 0; i < POINTS; i++) {
        my_x = at_x[i];
        my_y = at_y[i];
        my_z = at_z[i];
        fx = 0;
        fy = 0;
        fz = 0;
        for (j = 0; j < NEAR; j++) {
            other = neighbours[i * NEAR + j];
            dx = my_x - at_x[other];
            dy = my_y - at_y[other];
            dz = my_z - at_z[other];
            inverse2 = 1.0 / (dx * dx + dy * dy + dz * dz);
            inverse6 = inverse2 * inverse2 * inverse2;
            potential = inverse6 * (ATTRACTION * inverse6 - REPULSION);
            force = inverse2 * potential;
            fx += dx * force;
            fy += dy * force;
            fz += dz * force;
        }
        force_x[i] = fx;
        force_y[i] = fy;
        force_z[i] = fz;
    }
}

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void by_cells(int32_t counts[SIDE][SIDE][SIDE], vector forces[SIDE][SIDE][SIDE][DENSE],
    vector points[SIDE][SIDE][SIDE][DENSE])
{
    place a, b;
    vector p, q;
    int32_t i, j, in_b;
    real dx, dy, dz, inverse2, inverse6, potential, force;

    for (a.x = 0; a.x < SIDE; a.x++)
        for (a.y = 0; a.y < SIDE; a.y++)
            for (a.z = 0; a.z < SIDE; a.z++)
                for (b.x = MAX(0, a.x - 1); b.x < MIN(SIDE, a.x + 2); b.x++)
                    for (b.y = MAX(0, a.y - 1); b.y < MIN(SIDE, a.y + 2); b.y++)
                        for (b.z = MAX(0, a.z - 1); b.z < MIN(SIDE, a.z + 2); b.z++) {
                            vector *others = points[b.x][b.y][b.z];
                            in_b = counts[b.x][b.y][b.z];
                            for (i = 0; i < counts[a.x][a.y][a.z]; i++) {
                                vector sum = forces[a.x][a.y][a.z][i];
                                p = points[a.x][a.y][a.z][i];
                                for (j = 0; j < in_b; j++) {
                                    q = others[j];
                                    if (q.x != p.x || q.y != p.y || q.z != p.z) {
                                        dx = p.x - q.x;
                                        dy = p.y - q.y;
                                        dz = p.z - q.z;
                                        inverse2 = 1.0 / (dx * dx + dy * dy + dz * dz);
                                        inverse6 = inverse2 * inverse2 * inverse2;
                                        potential = inverse6 * (ATTRACTION * inverse6 - REPULSION);
                                        force = inverse2 * potential;
                                        sum.x += force * dx;
                                        sum.y += force * dy;
                                        sum.z += force * dz;
                                    }
                                }
                                forces[a.x][a.y][a.z][i] = sum;
                            }
                        }
}

static real x[POINTS], y[POINTS], z[POINTS], fx[POINTS], fy[POINTS], fz[POINTS];
static int32_t lists[POINTS * NEAR];
static int32_t counts[SIDE][SIDE][SIDE];
static vector forces[SIDE][SIDE][SIDE][DENSE], points[SIDE][SIDE][SIDE][DENSE];

int main(void)
{
    int i, k;
    real sum = 0, total = 0;

    for (i = 0; i < POINTS; i++) {
        x[i] = i * 5 % 16 * 0.5;
        y[i] = i * 3 % 16 * 0.75;
        z[i] = i * 7 % 16 * 0.25;
        for (k = 0; k < NEAR; k++)
            lists[i * NEAR + k] = (i + 3 * k + 1) % POINTS;
        int a = x[i] > 4, b = y[i] > 6, c = z[i] > 2;
        vector p = {x[i], y[i], z[i]};
        if (counts[a][b][c] < DENSE)
            points[a][b][c][counts[a][b][c]++] = p;
    }
    by_lists(fx, fy, fz, x, y, z, lists);
    by_cells(counts, forces, points);
    for (i = 0; i < POINTS; i++)
        sum += fx[i] + 2 * fy[i] + 3 * fz[i];
    for (i = 0; i < SIDE * SIDE * SIDE * DENSE; i++) {
        vector *f = (vector *)forces + i;
        total += f->x + f->y + f->z;
    }
    printf("%.12g %d\n", sum, total < 1e-9 && total > -1e-9);
    return !(total < 1e-9 && total > -1e-9);
}
