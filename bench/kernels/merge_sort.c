// SPDX-License-Identifier: Apache-2.0
// offload: merge_sort
/* Bottom-up merge sort of up to 1,024 ints with a local temporary array. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 1024

static void merge(const int *src, int *dst, int lo, int mid, int hi)
{
    int i = lo, j = mid;
    for (int k = lo; k < hi; k++) {
        if (i < mid && (j >= hi || src[i] <= src[j]))
            dst[k] = src[i++];
        else
            dst[k] = src[j++];
    }
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* returns the number of passes, or -1 when n is out of range */
int merge_sort(int *a, int n)
{
    int tmp[MAX];
    int passes = 0;

    if (n < 0 || n > MAX)
        return -1;
    for (int width = 1; width < n; width *= 2) {
        for (int lo = 0; lo < n; lo += 2 * width)
            merge(a, tmp, lo, min(lo + width, n), min(lo + 2 * width, n));
        for (int i = 0; i < n; i++)
            a[i] = tmp[i];
        passes++;
    }
    return passes;
}

static int compare(const void *p, const void *q)
{
    int a = *(const int *)p, b = *(const int *)q;
    return (a > b) - (a < b);
}

int main(void)
{
    static int a[MAX], want[MAX];
    static const int sizes[3] = { MAX, 777, 1 }, passes[3] = { 10, 10, 0 };
    uint32_t seed = 3;

    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < MAX; i++) {
            seed = seed * 1664525u + 1013904223u;
            a[i] = t == 1 ? (int)(seed >> 28) - 8 : (int)(seed >> 4) - (1 << 27);
        }
        memcpy(want, a, sizeof a);
        qsort(want, (size_t)sizes[t], sizeof want[0], compare);
        int got = merge_sort(a, sizes[t]);
        if (got != passes[t]) {
            printf("case %d: %d passes, want %d\n", t, got, passes[t]);
            return 1;
        }
        for (int i = 0; i < MAX; i++)           /* also that nothing past n moved */
            if (a[i] != want[i]) {
                printf("case %d: a[%d] = %d, want %d\n", t, i, a[i], want[i]);
                return 1;
            }
    }
    printf("ok\n");
    return 0;
}
