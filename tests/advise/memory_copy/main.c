// SPDX-License-Identifier: Apache-2.0
/* Bytes are copied, with one addition each. */
#include <stdint.h>
#include <stdio.h>
#define N 2000000
static uint8_t a[N], b[N];
void copied(const uint8_t *in, uint8_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] + 1;
}
int main(void)
{
    for (int i = 0; i < 20; i++) {
        copied(a, b, N);
        copied(b, a, N);
    }
    printf("%d\n", a[7]);
    return 0;
}
