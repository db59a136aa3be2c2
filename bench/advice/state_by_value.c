// SPDX-License-Identifier: Apache-2.0
// run: --offload next --platform pcie3-x16
// never: batch.calls kernel.units
// Each call is given the result of the one before it, by value.
#include <stdio.h>
#include <stdint.h>

uint64_t next(uint64_t state, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    return state;
}

int main(void)
{
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < 50; i++)
        state = next(state, 100 + i);
    printf("%llu\n", (unsigned long long)state);
    return 0;
}
