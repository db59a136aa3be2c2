/* SPDX-License-Identifier: Apache-2.0
 * Insertion sort in place: how often its inner loop runs depends on what the call has written. */
#include <stdint.h>
#include <stdio.h>

#define COUNT 20000

void kernel(int32_t *a, int n)
{
    for (int i = 1; i < n; i++) {
        int32_t x = a[i];
        int j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}

int main(void)
{
    static int32_t a[COUNT];
    uint32_t state = 1;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        a[i] = state >> 8;
    }
    kernel(a, COUNT);
    for (int i = 1; i < COUNT; i++)
        if (a[i - 1] > a[i])
            return 1;
    puts("sorted");
    return 0;
}
