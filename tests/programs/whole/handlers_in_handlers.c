// SPDX-License-Identifier: Apache-2.0
// offload: main
/* A function that is called through a pointer calls another one through a pointer. */
#include <stdio.h>

struct machine;
typedef int (*operation)(struct machine *, int);
struct machine {
    int stack[8], depth;
    operation trap;
    void (*log)(struct machine *, int);
    int logged;
};

static int push(struct machine *m, int a)
{
    m->stack[m->depth++ & 7] = a;
    return 0;
}

static int add(struct machine *m, int a)
{
    m->depth--;
    m->stack[(m->depth - 1) & 7] += m->stack[m->depth & 7] + a;
    return 0;
}

static int trap(struct machine *m, int a)
{
    if (m->log) m->log(m, a);
    return a > 9;
}

static void count(struct machine *m, int a) { m->logged += a; }

static const operation operations[4] = {[1] = push, [3] = add};
static volatile signed char program[][2] = {{1, 5}, {1, 1}, {2, 3}, {3, 1}, {0, 2}, {1, 7}, {2, 12}};

int main(void)
{
    struct machine m = {.trap = trap, .log = count};
    int stops = 0;
    for (int i = 0; i < 7 && !stops; i++) {
        operation what = operations[program[i][0]];
        if (!what) what = m.trap;
        stops = what(&m, program[i][1]);
        if (i == 3) m.log = NULL;
    }
    printf("%d %d %d %d\n", stops, m.depth, m.logged, m.stack[0]);
    return (stops ^ m.depth ^ m.logged ^ m.stack[0]) & 127;
}
