/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* `main` with the program's data in variables; what it prints, the C prints */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40
int data[N] = {7, 3, 9, 1, 44, -5};
static unsigned char marks[300] = {1, 2, 3};
const int expected[4] = {1, 2, 3, 4};
int result;
static int swaps;

static void sort(int *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j] < a[j - 1]; j--) {
            int t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
            swaps++;
        }
}

int main(void)
{
    int errors = 0;
    for (int i = 6; i < N; i++) data[i] = data[i - 5] * 3 + i;
    sort(data, N);
    for (int i = 0; i < N; i++) {
        marks[data[i] & 255] += i;
        result += data[i] * i;
    }
    for (int i = 1; i < N; i++) errors += data[i] < data[i - 1];
    for (int i = 0; i < 4; i++)
        if (expected[i] != i + 1) {
            printf("wrong\n");
            exit(3);
        }
    assert(errors == 0);
    printf("Result: %d %d %d\n", result, swaps, marks[5]);
    return errors;
}
