// SPDX-License-Identifier: Apache-2.0
// run: --offload reduce --platform pcie3-x16
// held out
// Divisions by what is known only in the call.
#include <stdio.h>
#include <stdint.h>

void reduce(const uint32_t *in, uint32_t *out, uint32_t n, uint32_t by)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = in[i] % by + in[i] / by;
}

int main(void)
{
    static uint32_t in[10000], out[10][10000];
    uint32_t sum = 0;
    for (int i = 0; i < 10000; i++)
        in[i] = i * 12345u;
    for (int i = 0; i < 10; i++)
        reduce(in, out[i], 10000, 97 + i);
    for (int i = 0; i < 10; i++)
        sum += out[i][9999];
    printf("%u\n", sum);
    return 0;
}
