// SPDX-License-Identifier: Apache-2.0
// run: --offload first --offload second --offload third --platform src-6e
// held out
// Three kernels in turns, each on what the one before has made.
#include <stdio.h>

void first(const int *in, int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * 3 + 1;
}

void second(const int *in, int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] ^ in[i] >> 3;
}

void third(const int *in, int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] > 500 ? in[i] - 500 : in[i];
}

int main(void)
{
    static int a[5][2000], b[5][2000], c[5][2000], d[5][2000];
    for (int i = 0; i < 5; i++) {
        a[i][9] = i;
        first(a[i], b[i], 2000);
        second(b[i], c[i], 2000);
        third(c[i], d[i], 2000);
    }
    printf("%d\n", d[4][9]);
    return 0;
}
