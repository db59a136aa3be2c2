/* SPDX-License-Identifier: Apache-2.0
 * Counts down by two from n - 1, which for no elements at all is no bound.
 * offload: every_second
 * served: 14 */
#include <stdio.h>

long every_second(const long *a, int n, unsigned x)
{
    long sum = 0;
    for (int i = n - 1; i >= 0; i -= 2)
        if (a[i] & x)
            sum = 3 * sum + a[i];
    return sum;
}

int main(void)
{
    long a[16];
    for (int i = 0; i < 16; i++)
        a[i] = 1237 * i;
    for (int n = -2; n < 12; n++)
        printf("%ld\n", every_second(a, n, 5 * n));
    return 0;
}
