// SPDX-License-Identifier: Apache-2.0
/* The time goes to functions of the C library. */
#include <stdio.h>
#include <string.h>
static char line[256];
static long lines(int from, int to)
{
    long total = 0;
    for (int i = from; i < to; i++) {
        snprintf(line, sizeof line, "%d: %x, %.3f", i, i * 77, i / 7.0);
        total += (long)strlen(line);
    }
    return total;
}
int main(void)
{
    printf("%ld\n", lines(0, 60000));
    return 0;
}
