// SPDX-License-Identifier: Apache-2.0
// run: --offload scale --platform sgi-rasc-rc100
// never: batch.calls
// held out
// Each call needs a third of the device's memory.
#include <stdio.h>

void scale(const int *in, int *out, int n, int by)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * by;
}

int main(void)
{
    static int in[1600000], out[1600000];
    long sum = 0;
    for (int i = 0; i < 12; i++) {
        in[i] = i;
        scale(in, out, 1600000, i);
        sum += out[i];
    }
    printf("%ld\n", sum);
    return 0;
}
