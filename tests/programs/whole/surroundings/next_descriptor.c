/* SPDX-License-Identifier: Apache-2.0
 * Between `close` and `open` nobody takes the number that the program counts on.
 * offload: twice
 * served: 2 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void twice(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}

int main(void)
{
    int a[4] = {1, 2, 3, 4}, kept = dup(1), zero, one;
    close(0);
    close(1);
    twice(a, 4);
    zero = open("numbers", O_RDWR | O_CREAT | O_TRUNC, 0600);
    one = open("numbers", O_RDONLY);
    for (int i = 3; i < 64; i++)
        if (i != kept)
            close(i);
    twice(a, 4);
    dprintf(kept, "%d %d %d\n", zero, one, a[3]);
    return 0;
}
