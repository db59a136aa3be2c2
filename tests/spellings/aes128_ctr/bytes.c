/* SPDX-License-Identifier: Apache-2.0 */
/* bytes, a counter that carries from its last byte on */
#include "../aes_table.h"
enum { BLOCKS = 16 };

static uint8_t doubled(uint8_t x)
{
    return x << 1 ^ (x & 0x80 ? 0x1b : 0);
}

static void encrypt(const uint8_t keys[176], const uint8_t in[16], uint8_t out[16])
{
    uint8_t s[16], t[16];
    for (int i = 0; i < 16; i++)
        s[i] = in[i] ^ keys[i];
    for (int round = 1; round < 10; round++) {
        for (int i = 0; i < 16; i++)
            t[i] = SBOX[s[5 * i % 16]];
        for (int c = 0; c < 16; c += 4)
            for (int r = 0; r < 4; r++) {
                uint8_t x = t[c + r], y = t[c + (r + 1) % 4];
                s[c + r] = doubled(x ^ y) ^ y ^ t[c + (r + 2) % 4] ^ t[c + (r + 3) % 4] ^ keys[16 * round + c + r];
            }
    }
    for (int i = 0; i < 16; i++)
        out[i] = SBOX[s[5 * i % 16]] ^ keys[160 + i];
}

void aes128_ctr(const uint8_t keys[176], const uint8_t first[16], const uint8_t in[16 * BLOCKS], uint8_t out[16 * BLOCKS])
{
    uint8_t counter[16], pad[16];
    for (int i = 0; i < 16; i++)
        counter[i] = first[i];
    for (int block = 0; block < BLOCKS; block++) {
        encrypt(keys, counter, pad);
        for (int i = 0; i < 16; i++)
            out[16 * block + i] = in[16 * block + i] ^ pad[i];
        for (int i = 15; i >= 0; i--)
            if (++counter[i])
                break;
    }
}

void call(const void *in, void *out) { aes128_ctr(in, (const uint8_t *)in + 176, (const uint8_t *)in + 192, out); }
