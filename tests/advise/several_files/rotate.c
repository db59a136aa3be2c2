// SPDX-License-Identifier: Apache-2.0
#include "rotate.h"

static uint64_t mixed(uint64_t x)
{
    for (int round = 0; round < 8; round++) {
        uint64_t y = 0;
        for (int k = 0; k < 64; k++)
            y |= (x >> (k * 37 + 11) % 64 & 1) << k;
        x ^= y >> 1;
    }
    return x;
}

uint64_t rotate_all(uint64_t *data, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++)
        s ^= data[i] = mixed(data[i]);
    return s;
}
