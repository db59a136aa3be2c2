// SPDX-License-Identifier: Apache-2.0
// run: --offload smooth --platform sgi-rasc-rc100
// Calls on blocks of one array, in a loop of the program.
#include <stdio.h>

void smooth(const short *in, short *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (in[i] + 2 * in[i + 1] + in[i + 2]) >> 2;
}

int main(void)
{
    static short in[60][2002], out[60][2000];
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 2002; j++)
            in[i][j] = i * j;
    for (int i = 0; i < 60; i++)
        smooth(in[i], out[i], 2000);
    printf("%d\n", out[59][1000]);
    return 0;
}
