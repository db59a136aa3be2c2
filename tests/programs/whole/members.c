/* SPDX-License-Identifier: Apache-2.0 */
/* offload: solve */
/* offload: step */
/* offload: both */
/* offload: either */
/* offload: beyond */
/* served: 3 */
/* served: 6 */
/* served: 2 */
/* served: 2 */
/* served: 2 */
/* members of structs that are memories of their own: the caller's, a variable that only the kernel
 * knows, two structs, which in one call are one, one that may be none, and an index that leads from
 * one member to the next, which C leaves undefined, and compilers often do not */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct system { int a[8][6], x[6]; char name[3]; int y[8]; };
void solve(struct system *s)
{
    for (int i = 0; i < 8; i++) {
        s->y[i] = 0;
        for (int j = 0; j < 6; j++)
            s->y[i] += s->a[i][j] * s->x[j];
    }
}
static struct { uint8_t ring[16]; unsigned at; int64_t sums[4]; } state;
int64_t step(int x)
{
    state.ring[state.at & 15] += x;
    state.at++;
    for (int i = 0; i < 4; i++)
        state.sums[i] += state.ring[4 * i] * x;
    return state.sums[x & 3] + state.at;
}
struct pair { short left[10]; int count; short right[10]; };
void both(const struct pair *from, struct pair *to)
{
    for (int i = 0; i < 10; i++) {
        to->left[i] = from->right[i];
        to->right[9 - i] = from->left[i] + to->count;
    }
}
int either(struct pair *p, int n)
{
    int sum = n;
    if (p)
        for (int i = 0; i < 10; i++)
            sum += p->left[i] * p->right[i];
    return sum;
}
struct wide { int low[4], high[4], count; };
int beyond(struct wide *w, int from)
{
    int sum = 0;
    for (int i = 0; i < w->count; i++) {
        w->high[i & 3] += i;
        sum += w->low[from + i];
    }
    return sum;
}
int main(void)
{
    struct system *s = malloc(sizeof *s);
    for (int call = 0; call < 3; call++) {
        memset(s, 3 + call, sizeof *s);
        for (int i = 0; i < 48; i++)
            s->a[i / 6][i % 6] = i * call;
        solve(s);
        for (int i = 0; i < 8; i++)
            printf("%d %d ", s->y[i], s->name[i % 3]);
    }
    free(s);
    for (int i = 0; i < 6; i++)
        printf("%lld\n", (long long)step(3 * i));
    struct pair one, other;
    for (int i = 0; i < 10; i++) {
        one.left[i] = other.right[i] = i;
        one.right[i] = other.left[i] = 100 - i;
    }
    one.count = other.count = 1000;
    both(&one, &other);
    both(&other, &one);
    both(&one, &one);
    for (int i = 0; i < 10; i++)
        printf("%d %d %d %d\n", one.left[i], one.right[i], other.left[i], other.right[i]);
    printf("%d %d\n", either(&one, 1), either(NULL, 2));
    struct wide w = {{1, 2, 3, 4}, {5, 6, 7, 8}, 3};
    volatile int from = 0;
    for (; from < 4; from++)
        printf("%d\n", beyond(&w, from));
    return 0;
}
