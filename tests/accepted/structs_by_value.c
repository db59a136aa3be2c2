/* SPDX-License-Identifier: Apache-2.0 */
/* offload: turned */
/* structs and complex numbers by value, as arguments and as results */
#include <stdio.h>

struct point {
    short x, y;
    _Bool seen;
};
struct path {
    struct point points[4];
    int count;
};

struct path turned(struct path path, struct point around, double _Complex *sum)
{
    for (int i = 0; i < path.count; i++) {
        struct point *p = &path.points[i];
        struct point moved = {around.x - (p->y - around.y), around.y + (p->x - around.x), 1};
        *p = moved;
        *sum += __builtin_complex((double)moved.x, (double)moved.y);
    }
    return path;
}

int main(void)
{
    double _Complex sum = 0;
    struct path path = {{{1, 2, 0}, {3, 4, 1}, {-5, 6, 0}}, 3};
    for (int i = 0; i < 3; i++)
        path = turned(path, (struct point){i, 1, 0}, &sum);
    printf("%d %d %g %g\n", path.points[2].x, path.points[1].y, __real__ sum, __imag__ sum);
    return 0;
}
