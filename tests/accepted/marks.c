/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* pointers to no object that say something: `(int *)-1`, `(int *)1` */
#include <stdint.h>
#include <stdio.h>
#define FULL ((int *)-1)
#define DELETED ((int *)1)
#define NOWHERE ((int *)(uintptr_t)0x10)

static int *find(int *a, int n, int key)
{
    for (int i = 0; i < n; i++)
        if (a[i] == key)
            return a + i;
    return n > 8 ? FULL : n > 4 ? DELETED : NULL;
}

static int told(const int *p)
{
    if (p == FULL) return -1;
    if (p == DELETED) return -2;
    if (p == NOWHERE) return -3;
    return p ? *p : -4;
}

int top(int *a, int n, int key)
{
    int own[4] = {key, key + 1, key ^ 3, 9};
    int *p = find(a, n, key), *q = n & 1 ? p : own + (n & 3), *kept[4] = {own, NULL, own + 1, own + 2};
    int sum = told(a) * 1000 + told(p) * 10 + told(q);
    if (n > 9)
        q = n & 2 ? NOWHERE : FULL;
    if (p == q) sum += 5000;
    if (q && q != FULL && q != NOWHERE && q != DELETED) *q += 7;
    for (int i = 0; i < 4; i++)
        if (kept[i]) sum = sum * 3 + *kept[i];
    return sum;
}

int main(void)
{
    int a[12];
    for (int n = 0; n <= 12; n++)
        for (int key = 3; key < 40; key += 9) {
            for (int i = 0; i < 12; i++) a[i] = i * i;
            printf("%d ", top(a, n, key));
        }
    printf("%d %d %d\n", top(NULL, 0, 1), top(FULL, 0, 1), top(DELETED, 0, 2));
    return 0;
}
