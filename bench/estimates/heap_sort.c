// SPDX-License-Identifier: Apache-2.0
// offload: heap_sort
/* A heap sort in place. */
#include <stdint.h>

void heap_sort(int32_t *a, int n)
{
    int end = n, start = n / 2;
    while (end > 1) {
        if (start)
            start--;
        else {
            end--;
            int32_t t = a[end];
            a[end] = a[0];
            a[0] = t;
        }
        int root = start;
        int32_t moved = a[root];
        while (2 * root + 1 < end) {
            int child = 2 * root + 1;
            if (child + 1 < end && a[child] < a[child + 1])
                child++;
            if (moved >= a[child])
                break;
            a[root] = a[child];
            root = child;
        }
        a[root] = moved;
    }
}
