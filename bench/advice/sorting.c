// SPDX-License-Identifier: Apache-2.0
// run: --offload sort --platform src-6e
// held out
// A sort in an array of the kernel's own: loads wait for stores.
#include <stdio.h>

void sort(const int *in, int *out)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = in[i];
    for (int i = 0; i < 63; i++)
        for (int j = 0; j < 63 - i; j++)
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
    for (int i = 0; i < 64; i++)
        out[i] = a[i];
}

int main(void)
{
    static int in[12][64], out[12][64];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 64; j++)
            in[i][j] = (i + j) * 7919 % 1009;
    for (int i = 0; i < 12; i++)
        sort(in[i], out[i]);
    printf("%d\n", out[11][32]);
    return 0;
}
