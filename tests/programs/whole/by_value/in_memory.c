/* SPDX-License-Identifier: Apache-2.0 */
/* offload: shifted */
/* offload: sums */
/* offload: packed */
/* offload: aligned */
/* offload: late */
/* offload: through_pointer */
/* Structs that a processor takes and returns in memory: large, packed, aligned, or behind so many
   arguments that no register is left. */
#include <stdint.h>
#include <stdio.h>

struct large { int v[6]; char tag; };
struct packed { char c; short s; } __attribute__((packed));
struct aligned { _Alignas(32) int v[8]; };
struct pair { long a; char b; };

struct large shifted(struct large l, int by)
{
    struct large r = l;
    for (int i = 0; i < 6; i++)
        r.v[i] = l.v[(i + by) % 6] + by;
    r.tag++;
    return r;
}

int sums(struct large a, struct large b, int i)
{
    a.v[i] = b.v[5 - i];
    for (int k = 1; k < 6; k++)
        a.v[k] += a.v[k - 1];
    return a.v[5];
}

struct packed packed(struct packed p, int by)
{
    struct packed r = {p.c + by, p.s * by};
    return r;
}

struct aligned aligned(int by, struct aligned a)
{
    for (int i = 0; i < 8; i++)
        a.v[i] -= by;
    return a;
}

struct pair late(int a, int b, int c, int d, int e, struct pair p, int f, struct pair q, _Bool g, double h)
{
    struct pair r = {p.a * a + q.a - b + c * f, p.b + q.b + d + e + g + (int)h};
    return r;
}

static struct large twice(struct large l)
{
    for (int i = 0; i < 6; i++)
        l.v[i] *= 2;
    return l;
}

void through_pointer(struct large *l, struct pair p)
{
    *l = twice(*l);
    l->v[p.b] = p.a;
}

int main(void)
{
    struct large (*chosen)(struct large, int) = shifted;
    for (int i = 0; i < 4; i++) {
        struct large l = chosen((struct large){{i, 1, 2, 3, 4, 5}, 'x'}, i);
        int s = sums(l, (struct large){{9, 8, 7, 6, 5, 4}, 0}, i);
        struct packed p = packed((struct packed){i, i * 100}, 3);
        struct aligned a = aligned(i, (struct aligned){{1, 2, 3, 4, 5, 6, 7, 8}});
        struct pair q = late(i, 1, 2, 3, 4, (struct pair){1000000000000, 5}, 6, (struct pair){i, 1}, 1, 2.5);
        through_pointer(&l, (struct pair){77, i});
        for (int k = 0; k < 6; k++)
            printf("%d ", l.v[k]);
        printf("%c, %d, %d %d, %d %d, %ld %d\n", l.tag, s, p.c, p.s, a.v[0], a.v[7], q.a, q.b);
    }
    return 0;
}
