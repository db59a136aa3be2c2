/* SPDX-License-Identifier: Apache-2.0
 * While the processor rounds as no hardware does, calls are the host's.
 * offload: scale
 * served: 1 */
#include <fenv.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) void scale(const float *a, float *b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] / 3.0f + a[i] * 0.1f;
}

static unsigned sum(const float *b, int n)
{
    unsigned total = 0, bits;
    for (int i = 0; i < n; i++) {
        memcpy(&bits, b + i, sizeof bits);
        total = 31 * total + bits;
    }
    return total;
}

int main(void)
{
    float a[16], b[16];
    for (int i = 0; i < 16; i++)
        a[i] = 1.7f * i;
    fesetround(FE_UPWARD);
    scale(a, b, 16);
    fesetround(FE_TONEAREST);
    printf("%x", sum(b, 16));
    scale(a, b, 16);
    printf(" %x\n", sum(b, 16));
    return 0;
}
