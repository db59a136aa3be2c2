// SPDX-License-Identifier: Apache-2.0
// offload: f
// Sizes below zero and a size that no guard tells: nothing is touched.
#include <stdint.h>
#include <stdio.h>

uint32_t f(const uint32_t *in, uint32_t *out, const uint8_t *go, int w, int h)
{
    uint32_t sum = 0;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++)
            out[x * h + y] = in[y * w + x];
        if (go[y])
            for (uint64_t x = 0; x != (uint64_t)(int64_t)w; x++)
                sum += in[x];
    }
    return sum;
}

int main(void)
{
    static uint32_t in[24], out[24];
    static const uint8_t no[8], yes[8] = {1, 0, 1};
    for (int i = 0; i < 24; i++)
        in[i] = i * i;
    printf("%u\n", f(in, out, no, -1, 5));
    printf("%u\n", f(in, out, no, -2147483647, 8));
    printf("%u\n", f(in, out, yes, 5, -5));
    printf("%u %u\n", f(in, out, yes, 3, 8), out[23]);
    return 0;
}
