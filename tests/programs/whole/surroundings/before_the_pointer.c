/* SPDX-License-Identifier: Apache-2.0
 * An element before the pointer of an array that is also written.
 * offload: add_last
 * served: 1 */
#include <stdio.h>

void add_last(unsigned char *b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] += b[-1];
}

int main(void)
{
    unsigned char b[16];
    for (int i = 0; i < 16; i++)
        b[i] = 21 * i;
    for (int n = 0; n < 5; n++)
        add_last(b + 5 + n, n);
    for (int i = 0; i < 16; i++)
        printf("%d ", b[i]);
    puts("");
    return 0;
}
