// SPDX-License-Identifier: Apache-2.0
// run: --offload invert --platform zynq-7000
// Large buffers, and little work on them.
#include <stdio.h>
#include <stdint.h>

void invert(const uint64_t *in, uint64_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = ~in[i];
}

int main(void)
{
    static uint64_t in[100000], out[100000];
    for (int i = 0; i < 4; i++) {
        in[i] = i;
        invert(in, out, 100000);
    }
    printf("%d\n", (int)~out[3]);
    return 0;
}
