// SPDX-License-Identifier: Apache-2.0
// run: --offload count --platform pcie3-x16-xdma
// held out
// Counts in an array of the kernel's own, read and written at places that may be the same.
#include <stdio.h>
#include <stdint.h>

void count(const unsigned char *in, uint32_t *out, uint32_t n)
{
    uint32_t bins[256] = {0};
    for (uint32_t i = 0; i < n; i++)
        bins[in[i]]++;
    for (int i = 0; i < 256; i++)
        out[i] = bins[i];
}

int main(void)
{
    static unsigned char in[10][40000];
    static uint32_t out[10][256];
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 40000; j++)
            in[i][j] = i * j;
    for (int i = 0; i < 10; i++)
        count(in[i], out[i], 40000);
    printf("%u\n", out[9][7]);
    return 0;
}
