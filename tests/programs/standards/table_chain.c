// SPDX-License-Identifier: Apache-2.0
// offload: chain
// Two look-ups in one table, the second with the first's value, and the state goes round: Pearson's
// hash of pairs. The table is a permutation, so the way back is known.
#include <stdint.h>
#include <stdio.h>

uint8_t chain(const uint8_t table[256], const uint8_t *keys, int n, uint8_t start)
{
    uint8_t t[256], s = start;
    for (int i = 0; i < 256; i++)
        t[i] = table[i];
    for (int i = 0; i < n; i++)
        s = t[t[s] ^ keys[i]];
    return s;
}

int main(void)
{
    enum { N = 500 };
    uint8_t table[256], inverse[256], keys[N];
    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)(i * 77 + 19);
    for (int i = 0; i < 256; i++)
        inverse[table[i]] = (uint8_t)i;
    for (int i = 0; i < N; i++)
        keys[i] = (uint8_t)(i * i + 3);
    uint8_t s = chain(table, keys, N, 42);
    for (int i = N; i-- > 0;)
        s = inverse[inverse[s] ^ keys[i]];
    puts(s == 42 ? "ok" : "wrong");
    return s != 42;
}
