// SPDX-License-Identifier: Apache-2.0
// run: --offload mix --platform src-6e
// One long call that computes much for each word.
#include <stdio.h>
#include <stdint.h>

void mix(const uint32_t *in, uint32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = in[i];
        for (int round = 0; round < 24; round++)
            x = (x ^ (x << 5) ^ (x >> 7)) + 0x9e3779b9u * round;
        out[i] = x;
    }
}

int main(void)
{
    static uint32_t in[60000], out[60000];
    for (int i = 0; i < 60000; i++)
        in[i] = i * 77u;
    mix(in, out, 60000);
    printf("%u\n", out[59999]);
    return 0;
}
