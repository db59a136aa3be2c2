// SPDX-License-Identifier: Apache-2.0
/* Five functions of which none takes most of the time. */
#include <stdint.h>
#include <stdio.h>
#define N 300000
static uint32_t a[N], b[N];
void added(void)
{
    for (int i = 0; i < N; i++)
        b[i] = a[i] + (a[i] >> 3);
}
void folded(void)
{
    for (int i = 1; i < N; i++)
        b[i] ^= b[i - 1] >> 5;
}
void counted(void)
{
    for (int i = 0; i < N; i++)
        a[i] += (b[i] & 7) == 3 ? 2 : 1;
}
void reversed(void)
{
    for (int i = 0; i < N / 2; i++) {
        uint32_t t = a[i];
        a[i] = a[N - 1 - i];
        a[N - 1 - i] = t;
    }
}
uint32_t summed(void)
{
    uint32_t s = 0;
    for (int i = 0; i < N; i++)
        s = s * 3 + a[i];
    return s;
}
int main(void)
{
    uint32_t s = 0;
    for (int i = 0; i < 10; i++) {
        added();
        folded();
        counted();
        reversed();
        s ^= summed();
    }
    printf("%u\n", s);
    return 0;
}
