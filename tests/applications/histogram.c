// SPDX-License-Identifier: Apache-2.0
// offload: histogram
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void histogram(const uint8_t *data, size_t length, uint32_t *counts)
{
    memset(counts, 0, 256 * sizeof *counts);
    for (size_t i = 0; i < length; i++)
        counts[data[i]]++;
}

int main(void)
{
    static uint8_t data[1000];
    uint32_t counts[256], total = 0, wrong = 0;
    for (int i = 0; i < 1000; i++)
        data[i] = (uint8_t)(i % 10 * (i % 10));
    histogram(data, 1000, counts);
    for (uint32_t value = 0; value < 256; value++) {
        uint32_t root = 0;
        while (root * root < value)
            root++;
        wrong += counts[value] != (root < 10 && root * root == value ? 100 : 0);
        total += counts[value];
    }
    printf("%u bytes, %u wrong\n", total, wrong);
    return wrong || total != 1000;
}
