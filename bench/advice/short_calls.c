// SPDX-License-Identifier: Apache-2.0
// run: --offload mask --platform pcie3-x16
// Many short calls, none of which needs another one.
#include <stdio.h>

void mask(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = (in[i] ^ 0x5a) + i;
}

int main(void)
{
    static unsigned char in[200][64], out[200][64];
    unsigned sum = 0;
    for (int i = 0; i < 200; i++)
        in[i][i % 64] = i;
    for (int i = 0; i < 200; i++)
        mask(in[i], out[i], 64);
    for (int i = 0; i < 200; i++)
        sum += out[i][i % 64];
    printf("%u\n", sum);
    return 0;
}
