// SPDX-License-Identifier: Apache-2.0
// offload: rng_fill
// xorshift128 as published by Marsaglia (2003), with its usual start and a first output known.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rng {
    uint32_t x, y, z, w;
};

void rng_fill(struct rng *rng, uint32_t *out, size_t count)
{
    while (count--) {
        uint32_t t = rng->x ^ rng->x << 11;
        rng->x = rng->y;
        rng->y = rng->z;
        rng->z = rng->w;
        rng->w = rng->w ^ rng->w >> 19 ^ t ^ t >> 8;
        *out++ = rng->w;
    }
}

int main(void)
{
    struct rng rng = {123456789, 362436069, 521288629, 88675123};
    uint32_t out[100], x = rng.x, y = rng.y, z = rng.z, w = rng.w;
    int wrong = 0;
    rng_fill(&rng, out, 60);
    rng_fill(&rng, out + 60, 40);
    for (int i = 0; i < 100; i++) {
        uint32_t t = x ^ (x << 11);
        x = y, y = z, z = w;
        w = (w ^ (w >> 19)) ^ (t ^ (t >> 8));
        wrong += out[i] != w;
    }
    wrong += out[0] != 3701687786u;
    printf("%u %u, %d wrong\n", out[0], out[99], wrong);
    return wrong != 0;
}
