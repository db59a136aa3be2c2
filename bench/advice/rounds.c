// SPDX-License-Identifier: Apache-2.0
// run: --offload turn --platform pcie3-x16
// never: batch.calls=100 batch.calls=1000
// held out
// Ten blocks, and over them again from what the round before has left.
#include <stdio.h>

void turn(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = in[i] << 3 | in[i] >> 29;
}

int main(void)
{
    static unsigned a[10][500], b[10][500];
    for (int i = 0; i < 10; i++)
        a[i][i] = i + 1;
    for (int round = 0; round < 12; round++)
        for (int i = 0; i < 10; i++) {
            if (round & 1)
                turn(b[i], a[i], 500);
            else
                turn(a[i], b[i], 500);
        }
    printf("%u\n", a[9][9]);
    return 0;
}
