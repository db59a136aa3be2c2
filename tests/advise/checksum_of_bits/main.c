// SPDX-License-Identifier: Apache-2.0
/* A checksum bit by bit, of a buffer in pieces. */
#include <stdint.h>
#include <stdio.h>
#define N 1000000
static uint8_t data[N];
uint32_t checksum(const uint8_t *p, int n, uint32_t c)
{
    for (int i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    }
    return c;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        data[i] = i * 2654435761u >> 24;
    uint32_t c = ~0u;
    for (int i = 0; i < N; i += 100000)
        c = checksum(data + i, 100000, c);
    printf("%08x\n", ~c);
    return 0;
}
