// SPDX-License-Identifier: Apache-2.0
/* Many calls, of some microseconds each. */
#include <stdint.h>
#include <stdio.h>
#define N 64
static uint32_t data[N];
uint32_t blend(uint32_t *p, uint32_t key)
{
    uint32_t s = key;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < N; i++) {
            s = s * 5 + (p[i] ^ key);
            p[i] = s ^ s >> 7;
        }
    return s;
}
int main(void)
{
    uint32_t s = 1;
    for (int i = 0; i < 20000; i++)
        s = blend(data, s);
    printf("%u\n", s);
    return 0;
}
