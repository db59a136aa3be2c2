// SPDX-License-Identifier: Apache-2.0
// offload: sort
// observed: values
// Sorting a piece of an array in place; against qsort.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sort(int32_t *values, int count)
{
    for (int i = 1; i < count; i++) {
        int32_t value = values[i];
        int j = i - 1;
        while (j >= 0 && values[j] > value) {
            values[j + 1] = values[j];
            j--;
        }
        values[j + 1] = value;
    }
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    int32_t values[80], wanted[80];
    for (uint32_t i = 0; i < 80; i++)
        wanted[i] = values[i] = (int32_t)(i * i * 2654435761u);
    sort(values + 10, 60);
    qsort(wanted + 10, 60, sizeof *wanted, compare);
    sort(values, 0);
    sort(values, 1);
    int wrong = memcmp(values, wanted, sizeof values) != 0;
    printf("%d %d %d\n", values[10], values[69], wrong);
    return wrong;
}
