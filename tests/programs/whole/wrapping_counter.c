// SPDX-License-Identifier: Apache-2.0
// offload: f
// A counter of eight bits comes round: the array is read on both sides of its pointer.
#include <stdint.h>
#include <stdio.h>

uint32_t f(const uint8_t *p, int n)
{
    int8_t j = 0;
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 3 + p[j++];
    return sum;
}

int main(void)
{
    static uint8_t bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (uint8_t)(i * i);
    printf("%u %u\n", f(bytes + 128, 200), f(bytes + 128, 20));
    return 0;
}
