// SPDX-License-Identifier: Apache-2.0
// says: index 8 out of bounds for type 'int[8]'
#include <stdio.h>
static int table[8] = {1, 2, 3};
int f(const int *a, int n)
{
    int x[8], t = 0;
    for (int i = 0; i < 8; i++)
        x[i] = a[i];
    for (int i = 0; i < n; i++)
        t += x[i & 15];
    return t;
}
int main(void)
{
    printf("%d\n", f(table, 12));
    return 0;
}
