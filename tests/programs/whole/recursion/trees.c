/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* A tree in the program's variables, and a count that grows far beyond what copies could be. */
#include <stdint.h>

struct node {
    int key, left, right;
};

static struct node tree[32];
static int used;
static uint8_t ground[12 * 12];

#pragma tandem recursion(32)
static int inserted(int at, int key)
{
    if (at < 0) {
        tree[used].key = key;
        tree[used].left = tree[used].right = -1;
        return used++;
    }
    if (key < tree[at].key)
        tree[at].left = inserted(tree[at].left, key);
    else
        tree[at].right = inserted(tree[at].right, key);
    return at;
}

#pragma tandem recursion(32)
static void walk(int at, unsigned *sum)
{
    if (at < 0)
        return;
    walk(tree[at].left, sum);
    *sum = *sum * 33 + (unsigned)tree[at].key;
    walk(tree[at].right, sum);
}

#pragma tandem recursion(200)
static int filled(uint8_t *g, int x, int y)
{
    if (x < 0 || y < 0 || x >= 12 || y >= 12 || g[y * 12 + x])
        return 0;
    g[y * 12 + x] = 1;
    return 1 + filled(g, x + 1, y) + filled(g, x - 1, y) + filled(g, x, y + 1) + filled(g, x, y - 1);
}

#pragma tandem recursion(70)
static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
    unsigned sum = 1;
    int root = -1;
    for (int i = 0; i < 20; i++)
        root = inserted(root, i * 7 % 23);
    walk(root, &sum);
    for (int i = 0; i < 144; i++)
        ground[i] = i * 37 % 11 < 3;
    return (int)((sum + (unsigned)filled(ground, 5, 5) * 7 + (unsigned)ackermann(2, 5)) % 251);
}
