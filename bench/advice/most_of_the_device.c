// SPDX-License-Identifier: Apache-2.0
// run: --offload filter --platform pcie3-x16-xdma
// never: kernel.units
// A kernel that takes most of the device's multipliers: there is no room for copies of it.
#include <stdio.h>

void filter(const short *in, int *out, const short taps[96], int n)
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
#pragma tandem unroll
        for (int j = 0; j < 96; j++)
            sum += in[i + j] * taps[j];
        out[i] = sum;
    }
}

int main(void)
{
    static short in[20][1095], taps[96];
    static int out[20][1000];
    for (int i = 0; i < 96; i++)
        taps[i] = i * 3 - 100;
    for (int i = 0; i < 20; i++) {
        in[i][50] = i;
        filter(in[i], out[i], taps, 1000);
    }
    printf("%d\n", out[19][10]);
    return 0;
}
