/* SPDX-License-Identifier: Apache-2.0 */
/* matrix and vectors in a struct */
#include <string.h>
struct system {
    int a[16][24], x[24], y[16];
};

void matvec(struct system *s)
{
    for (int i = 0; i < 16; i++) {
        int sum = 0;
        for (int j = 0; j < 24; j++)
            sum += s->a[i][j] * s->x[j];
        s->y[i] = sum;
    }
}

void call(const void *in, void *out)
{
    struct system s;
    memcpy(&s, in, 408 * 4);
    matvec(&s);
    memcpy(out, s.y, sizeof s.y);
}
