// SPDX-License-Identifier: Apache-2.0
// run: --offload absorb --platform pcie3-x16
// never: batch.calls kernel.units
// Each call needs what the one before it has left in an argument.
#include <stdio.h>

void absorb(unsigned *state, const unsigned char *in, unsigned n)
{
    unsigned a = state[0];
    for (unsigned i = 0; i < n; i++)
        a = (a ^ in[i]) * 16777619u;
    state[0] = a;
}

int main(void)
{
    static unsigned char text[100][256];
    unsigned state[1] = {2166136261u};
    for (int i = 0; i < 100; i++) {
        text[i][i] = i;
        absorb(state, text[i], 256);
    }
    printf("%u\n", state[0]);
    return 0;
}
