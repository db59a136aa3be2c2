// SPDX-License-Identifier: Apache-2.0
/* Ways through a grid, by a function that calls itself. */
#include <stdint.h>
#include <stdio.h>
uint32_t ways(int x, int y)
{
    return x == 0 || y == 0 ? 1 : ways(x - 1, y) + ways(x, y - 1);
}
int main(void)
{
    uint32_t s = 0;
    for (int i = 0; i < 4; i++)
        s += ways(11 + i % 2, 11);
    printf("%u\n", s);
    return 0;
}
