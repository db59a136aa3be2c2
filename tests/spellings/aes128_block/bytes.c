/* SPDX-License-Identifier: Apache-2.0 */
/* sixteen bytes, a loop a step */
#include "../aes_table.h"

static uint8_t doubled(uint8_t x)
{
    return x << 1 ^ (x & 0x80 ? 0x1b : 0);
}

void aes128_block(const uint8_t keys[176], const uint8_t in[16], uint8_t out[16])
{
    uint8_t s[16], t[16];
    for (int i = 0; i < 16; i++)
        s[i] = in[i] ^ keys[i];
    for (int round = 1; round <= 10; round++) {
        for (int i = 0; i < 16; i++)
            t[i] = SBOX[s[i * 5 % 16]];
        for (int c = 0; c < 4; c++) {
            uint8_t *p = t + 4 * c;
            uint8_t all = p[0] ^ p[1] ^ p[2] ^ p[3], first = p[0];
            if (round == 10)
                continue;
            p[0] ^= all ^ doubled(p[0] ^ p[1]);
            p[1] ^= all ^ doubled(p[1] ^ p[2]);
            p[2] ^= all ^ doubled(p[2] ^ p[3]);
            p[3] ^= all ^ doubled(p[3] ^ first);
        }
        for (int i = 0; i < 16; i++)
            s[i] = t[i] ^ keys[16 * round + i];
    }
    for (int i = 0; i < 16; i++)
        out[i] = s[i];
}

void call(const void *in, void *out) { aes128_block(in, (const uint8_t *)in + 176, out); }
