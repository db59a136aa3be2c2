/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* recursion: with which a function ends, or so deep as a directive says */
#include <stdio.h>

static int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

#pragma tandem recursion(9)
static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

#pragma tandem recursion(12)
static void sort(int *values, int low, int high)
{
    if (low >= high) return;
    int pivot = values[high], place = low;
    for (int i = low; i < high; i++)
        if (values[i] < pivot) {
            int t = values[place];
            values[place++] = values[i];
            values[i] = t;
        }
    values[high] = values[place];
    values[place] = pivot;
    sort(values, low, place - 1);
    sort(values, place + 1, high);
}

static int odd(int n);

#pragma tandem recursion(8)
static int even(int n)
{
    return n == 0 ? 1 : odd(n - 1) * 3 - 1;
}

static int odd(int n)
{
    return n == 0 ? 0 : even(n - 1) + 2;
}

int top(int n)
{
    int values[12];
    for (int i = 0; i < 12; i++) values[i] = (i * 37 + n) % 23;
    sort(values, 0, 11);
    return factorial(n & 7) + fibonacci(n & 7) + values[3] * 1000 + values[7] + even(n & 7);
}

int main(void)
{
    for (int i = 1; i < 5; i++) printf("%d\n", top(i * 3));
    return 0;
}
