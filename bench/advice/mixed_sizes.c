// SPDX-License-Identifier: Apache-2.0
// run: --offload delta --platform zynq-7000
// held out
// Calls of many sizes.
#include <stdio.h>

void delta(const int *in, int *out, int n)
{
    int last = 0;
    for (int i = 0; i < n; i++) {
        out[i] = in[i] - last;
        last = in[i];
    }
}

int main(void)
{
    static int in[30][5000], out[30][5000];
    long sum = 0;
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < 5000; j++)
            in[i][j] = i * j * j;
    for (int i = 0; i < 30; i++)
        delta(in[i], out[i], 16 << (i % 9));
    for (int i = 0; i < 30; i++)
        sum += out[i][15];
    printf("%ld\n", sum);
    return 0;
}
