// SPDX-License-Identifier: Apache-2.0
// run: --offload substitute --platform pcie3-x16-xdma
// Look-ups in a table that the program fills, one after the other.
#include <stdio.h>

void substitute(const unsigned char *table, const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = table[table[in[i]] ^ 0x3c];
}

int main(void)
{
    static unsigned char table[256], in[30][3000], out[30][3000];
    for (int i = 0; i < 256; i++)
        table[i] = i * 7 + 3;
    for (int i = 0; i < 30; i++) {
        in[i][1] = i;
        substitute(table, in[i], out[i], 3000);
    }
    printf("%d\n", out[29][1]);
    return 0;
}
