/* SPDX-License-Identifier: Apache-2.0 */
/* matrix and vectors in a struct, do and while */
#include <string.h>
struct system {
    int a[24][24], x[24], y[24];
};

void tmatvec(struct system *s)
{
    int j = 0;
    do {
        int i = 0, sum = 0;
        do
            sum += s->a[i][j] * s->x[i];
        while (++i < 24);
        s->y[j] = sum;
    } while (++j < 24);
}

void call(const void *in, void *out)
{
    struct system s;
    memcpy(&s, in, 600 * 4);
    tmatvec(&s);
    memcpy(out, s.y, sizeof s.y);
}
