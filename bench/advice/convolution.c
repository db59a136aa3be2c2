// SPDX-License-Identifier: Apache-2.0
// run: --offload fir --platform zynq-7000
// held out
// A filter over a signal in pieces.
#include <stdio.h>

void fir(const short *in, short *out, int n)
{
    static const short taps[5] = {3, -7, 24, -7, 3};
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < 5; j++)
            sum += in[i + j] * taps[j];
        out[i] = sum >> 4;
    }
}

int main(void)
{
    static short in[16][8004], out[16][8000];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8004; j++)
            in[i][j] = (i + 1) * j;
    for (int i = 0; i < 16; i++)
        fir(in[i], out[i], 8000);
    printf("%d\n", out[15][4000]);
    return 0;
}
