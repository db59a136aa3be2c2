/* SPDX-License-Identifier: Apache-2.0
 * offload: main */
#include <stdint.h>

/* A variable that only one function knows lives from call to call. */
__attribute__((noinline)) static uint32_t step(uint32_t x)
{
    static uint32_t state = 5, calls;
    state = state * 1664525u + x;
    calls++;
    return state >> 3 ^ calls;
}
static uint32_t seen[4];
int main(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += step(i);
        if (sum & 1)
            sum ^= step(sum) << 4;
        seen[i & 3] = sum;
    }
    sum += step(seen[1]) / (step(seen[2]) | 1);
    return sum % 251;
}
