/* SPDX-License-Identifier: Apache-2.0 */
/* counters that are computed from the block's number; bytes row by row */
#include "../aes_table.h"
enum { BLOCKS = 16 };

static uint8_t doubled(uint8_t x)
{
    return x & 0x80 ? x << 1 ^ 0x1b : x << 1;
}

void aes128_ctr(const uint8_t *keys, const uint8_t *first, const uint8_t *in, uint8_t *out)
{
    unsigned __int128 start = 0;
    for (int i = 0; i < 16; i++)
        start = start << 8 | first[i];
    for (int block = 0; block < BLOCKS; block++) {
        unsigned __int128 counter = start + block;
        uint8_t s[4][4], t[4][4];
        for (int i = 0; i < 16; i++)
            s[i % 4][i / 4] = (uint8_t)(counter >> (120 - 8 * i)) ^ keys[i];
        for (int round = 1; round < 10; round++) {
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 4; c++)
                    t[r][c] = SBOX[s[r][(c + r) % 4]];
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 4; c++)
                    s[r][c] = doubled(t[r][c] ^ t[(r + 1) % 4][c]) ^ t[(r + 1) % 4][c] ^ t[(r + 2) % 4][c]
                              ^ t[(r + 3) % 4][c] ^ keys[16 * round + 4 * c + r];
        }
        for (int i = 0; i < 16; i++)
            out[16 * block + i] = in[16 * block + i] ^ SBOX[s[i % 4][(i / 4 + i % 4) % 4]] ^ keys[160 + i];
    }
}

void call(const void *in, void *out) { aes128_ctr(in, (const uint8_t *)in + 176, (const uint8_t *)in + 192, out); }
