/* SPDX-License-Identifier: Apache-2.0 */
/* a square of bytes, the last round by itself */
#include "../aes_table.h"
#define DOUBLED(x) ((uint8_t)((x) << 1 ^ ((x) >> 7) * 0x1b))

void aes128_block(const uint8_t keys[11][4][4], const uint8_t in[4][4], uint8_t out[4][4])
{
    uint8_t s[4][4], t[4][4];
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            s[c][r] = in[c][r] ^ keys[0][c][r];
    for (int round = 1; round < 10; round++) {
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++)
                t[c][r] = SBOX[s[(c + r) & 3][r]];
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++) {
                uint8_t a = t[c][r], b = t[c][(r + 1) & 3], d = t[c][(r + 2) & 3], e = t[c][(r + 3) & 3];
                s[c][r] = DOUBLED(a) ^ DOUBLED(b) ^ b ^ d ^ e ^ keys[round][c][r];
            }
    }
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            out[c][r] = SBOX[s[(c + r) & 3][r]] ^ keys[10][c][r];
}

void call(const void *in, void *out) { aes128_block(in, (const void *)((const uint8_t *)in + 176), out); }
