/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* local arrays of a variable size that is bounded where they are declared */
#include <stdio.h>

int top(unsigned char n, unsigned m)
{
    int squares[n], counts[m % 10 + 1];
    int sum = 0;
    for (int i = 0; i < n; i++) squares[i] = i * i;
    for (unsigned i = 0; i <= m % 10; i++) counts[i] = 0;
    for (int i = 0; i < n; i++) counts[squares[n - 1 - i] % (m % 10 + 1)] += i;
    for (unsigned i = 0; i <= m % 10; i++) sum = sum * 3 + counts[i];
    return sum;
}

int main(void)
{
    for (int i = 1; i < 6; i++) printf("%d\n", top(i * 9, i * 5));
    return 0;
}
