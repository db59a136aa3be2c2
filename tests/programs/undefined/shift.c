// SPDX-License-Identifier: Apache-2.0
// says: left shift of 2 by 30 places cannot be represented
#include <stdio.h>
int f(int *a, int s)
{
    int t = 0;
    for (int i = 0; i < 4; i++)
        t += a[i] << (s + i);
    return t;
}
int main(int c, char **v)
{
    int a[4] = {1, 2, 3, 4};
    printf("%d\n", f(a, 28 + c));
    return 0;
}
