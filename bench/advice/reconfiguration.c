// SPDX-License-Identifier: Apache-2.0
// run: --offload pack --offload unpack --platform pcie3-x16
// Two kernels in turns, of which the device holds one at a time.
#include <stdio.h>

void pack(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = in[2 * i] << 4 | (in[2 * i + 1] & 15);
}

void unpack(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        out[2 * i] = in[i] >> 4;
        out[2 * i + 1] = in[i] & 15;
    }
}

int main(void)
{
    static unsigned char wide[6][8000], narrow[6][4000];
    for (int i = 0; i < 6; i++) {
        wide[i][5] = i;
        pack(wide[i], narrow[i], 4000);
        unpack(narrow[i], wide[i], 4000);
    }
    printf("%d\n", wide[5][5]);
    return 0;
}
