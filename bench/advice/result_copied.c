// SPDX-License-Identifier: Apache-2.0
// run: --offload step --platform src-6e
// never: batch.calls kernel.units
// held out
// The program copies each result to where the next call reads it.
#include <stdio.h>
#include <string.h>

void step(const int *in, int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * 5 + (in[i] >> 2) + i;
}

int main(void)
{
    static int now[1000], then[1000];
    for (int i = 0; i < 1000; i++)
        now[i] = i;
    for (int i = 0; i < 30; i++) {
        step(now, then, 1000);
        memcpy(now, then, sizeof now);
    }
    printf("%d\n", now[999]);
    return 0;
}
