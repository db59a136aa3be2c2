/* SPDX-License-Identifier: Apache-2.0
 * One memory at two places: what is read there changes while the function runs.
 * offload: sums */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

void sums(unsigned *to, const unsigned *from, int n)
{
    for (int i = 1; i < n; i++)
        to[i] = to[i - 1] + from[i];
}

int main(void)
{
    int file = memfd_create("memory", 0);
    if (ftruncate(file, 4096))
        return 1;
    unsigned *one = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    unsigned *other = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (int i = 0; i < 100; i++)
        one[i] = i;
    sums(one, other, 100);
    printf("%u", other[99]);
    sums(other + 1, one, 90);
    printf(" %u\n", one[90]);
    return 0;
}
