// SPDX-License-Identifier: Apache-2.0
// offload: filter_run
// flags: -Iinclude -DTAPS=8
// sources: src/filter.c src/wave.c
// A filter with memory, called for pieces of a wave; against the sum of the samples.
#include <stdio.h>

#include "filter.h"
#include "wave.h"

#define COUNT 300

int main(void)
{
    static int16_t in[COUNT], out[COUNT];
    struct filter filter = {{0}, 0, 0};
    int wrong = 0;
    uint32_t sum = 0;

    wave_make(in, COUNT);
    for (size_t i = 0; i < COUNT; i += 100)
        filter_run(&filter, in + i, out + i, 100);
    for (int i = 0; i < COUNT; i++) {
        int32_t total = 0;
        for (int k = i; k > i - TAPS && k >= 0; k--)
            total += in[k];
        wrong += out[i] != total / TAPS;
        sum = sum * 31 + (uint16_t)out[i];
    }
    printf("smooth %08x, %d wrong\n", (unsigned)sum, wrong);
    return wrong != 0;
}
