/* SPDX-License-Identifier: Apache-2.0 */
/* offload: insert */
/* refused: pointer */
/* an arena of large numbers that outlives the call: the host's addresses stand in it */
#include <stdio.h>
struct knot { struct knot *low, *high; int key; };
static unsigned long storage[128];
static int used;
int insert(struct knot **root, const int *keys, int n)
{
    int steps = 0;
    for (int i = 0; i < n; i++) {
        struct knot *made = (struct knot *)(storage + 4 * used++), *top = (struct knot *)storage;
        struct knot **place = &top;
        made->low = made->high = 0;
        made->key = keys[i];
        for (; *place && *place != made; steps++) place = keys[i] < (*place)->key ? &(*place)->low : &(*place)->high;
        *place = made;
    }
    return steps;
}
int main(void)
{
    int keys[] = {5, 2, 9, 1, 7};
    struct knot *root = 0;
    printf("%d\n", insert(&root, keys, 5));
    return 0;
}
