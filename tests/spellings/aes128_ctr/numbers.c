/* SPDX-License-Identifier: Apache-2.0 */
/* counters that are computed from the block's number; a table of a byte's part in a column */
#include "../aes_table.h"
enum { BLOCKS = 16 };

static uint32_t part(uint8_t x)
{
    uint32_t s = SBOX[x], twice = (s << 1 ^ (s >> 7) * 0x11b) & 255;
    return twice | s << 8 | s << 16 | (twice ^ s) << 24;
}

static uint32_t turned(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

void aes128_ctr(const uint8_t *keys, const uint8_t *first, const uint8_t *in, uint8_t *out)
{
    unsigned __int128 start = 0;
    for (int i = 0; i < 16; i++)
        start = start << 8 | first[i];
    for (unsigned block = 0; block < BLOCKS; block++) {
        unsigned __int128 counter = start + block;
        uint8_t s[16], t[16];
        for (int i = 0; i < 16; i++)
            s[i] = (uint8_t)(counter >> (120 - 8 * i)) ^ keys[i];
        for (int round = 1; round < 10; round++) {
            for (int c = 0; c < 4; c++) {
                uint32_t column = part(s[4 * c]);
                for (int r = 1; r < 4; r++)
                    column ^= turned(part(s[(4 * c + 5 * r) % 16]), 8 * r);
                for (int r = 0; r < 4; r++)
                    t[4 * c + r] = (uint8_t)(column >> 8 * r) ^ keys[16 * round + 4 * c + r];
            }
            for (int i = 0; i < 16; i++)
                s[i] = t[i];
        }
        for (int i = 0; i < 16; i++)
            out[16 * block + i] = in[16 * block + i] ^ SBOX[s[5 * i % 16]] ^ keys[160 + i];
    }
}

void call(const void *in, void *out) { aes128_ctr(in, (const uint8_t *)in + 176, (const uint8_t *)in + 192, out); }
