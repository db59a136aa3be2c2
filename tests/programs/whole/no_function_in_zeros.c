// SPDX-License-Identifier: Apache-2.0
// offload: main
/* The same of pointers to functions. */
#include <stdio.h>

static int twice(int x) { return 2 * x; }
static int next(int x) { return x + 1; }
typedef int (*step)(int);
static step steps[4];
static step chosen;
static struct { step run; int value; } table[3];
static volatile int which = 1;
int main(void)
{
    int state = 5;
    for (int i = 0; i < 4; i++)
        if (steps[i])
            state = steps[i](state);
        else
            state += 3;
    steps[which] = twice;
    steps[which + 1] = next;
    for (int i = 0; i < 4; i++)
        if (steps[i])
            state = steps[i](state);
    if (!chosen)
        chosen = steps[which];
    state = chosen(state);
    table[which].run = steps[2];
    for (int i = 0; i < 3; i++)
        state = table[i].run ? table[i].run(state) : state + 1;
    printf("%d\n", state);
    return state & 127;
}
