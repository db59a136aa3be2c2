/* SPDX-License-Identifier: Apache-2.0 */
/* offload: depth */
/* offload: weighed */
/* offload: longest */
/* served: 3 */
/* served: 3 */
/* served: 3 */
/* pointers in memory whose type has none: large numbers, a union, integers that are aligned */
#include <stdio.h>
struct knot { struct knot *low, *high; int key; };
union cell { double weight; union cell *behind; };
struct word { struct word *before; int letters; };
int depth(const int *keys, int n)
{
    unsigned long storage[128];
    struct knot *root = 0;
    int used = 0;
    for (int i = 0; i < n; i++) {
        struct knot **place = &root;
        while (*place) place = keys[i] < (*place)->key ? &(*place)->low : &(*place)->high;
        *place = (struct knot *)(storage + 4 * used++);
        (*place)->low = (*place)->high = 0;
        (*place)->key = keys[i];
    }
    int found = 0;
    for (const struct knot *k = root; k; k = k->low) found = found * 7 + k->key;
    return found;
}
double weighed(const double *weights, int n)
{
    union cell pool[16][2], *last = 0;
    for (int i = 0; i < n; i++) {
        union cell *made = pool[i];
        made[0].behind = last;
        made[1].weight = weights[i];
        last = made;
    }
    double sum = 0;
    for (; last; last = last[0].behind) sum = sum * 2 + last[1].weight;
    return sum;
}
int longest(const int *letters, int n)
{
    int __attribute__((aligned(8))) room[64];
    struct word *last = 0;
    for (int i = 0; i < n; i++) {
        struct word *made = (struct word *)(room + 4 * i);
        made->before = last;
        made->letters = letters[i];
        last = made;
    }
    int most = 0;
    for (int at = 1; last; last = last->before, at++) most = last->letters * at > most ? last->letters * at : most;
    return most;
}
int main(void)
{
    int keys[12];
    double weights[12];
    for (int n = 4; n <= 12; n += 4) {
        for (int i = 0; i < n; i++) weights[i] = keys[i] = (i * 7 + n) % 13;
        printf("%d %g %d\n", depth(keys, n), weighed(weights, n), longest(keys, n));
    }
    return 0;
}
