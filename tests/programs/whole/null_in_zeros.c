// SPDX-License-Identifier: Apache-2.0
// offload: main
/* Pointers that nothing has set but the zeros of a variable: only some of them are set, or none. */
#include <stdio.h>

static int one[4] = {1, 2, 3, 4};
static int *volatile table[3];
static int *other[2];
static int *volatile zero[1];
int main(void)
{
    int state = 0;
    other[1] = one + 2;
    for (int i = 0; i < 2; i++)
        if (other[i])
            state += *other[i];
        else
            state += 64;
    if (table[2] == zero[0])
        state += 16;
    table[1] = one + 1;
    for (int i = 0; i < 3; i++)
        if (table[i])
            state += *table[i];
    printf("%d\n", state);
    return state & 127;
}
