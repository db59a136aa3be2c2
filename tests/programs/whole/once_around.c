// SPDX-License-Identifier: Apache-2.0
// offload: once_around
/* A counter that goes once around all of its numbers, and an array of so many elements. */
#include <stdint.h>
#include <stdio.h>

unsigned once_around(const uint8_t *table, uint8_t start, uint8_t end)
{
    unsigned sum = 0;
    uint8_t i = start;
    do
        sum = sum * 3 + table[i];
    while (++i != end);
    return sum;
}

int main(void)
{
    static uint8_t table[256];

    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)(i * i + 7 * i);
    for (int i = 0; i < 256; i += 51)
        printf("%u %u\n", once_around(table, (uint8_t)i, (uint8_t)i),
               once_around(table, (uint8_t)i, (uint8_t)(i + 1)));
    return 0;
}
