/* SPDX-License-Identifier: Apache-2.0 */
/* steps in the result itself */
#include "../aes_table.h"
#define DOUBLED(x) (uint8_t)((x) & 0x80 ? (x) << 1 ^ 0x1b : (x) << 1)

void aes128_block(const uint8_t *keys, const uint8_t *in, uint8_t *out)
{
    for (int i = 0; i < 16; i++)
        out[i] = in[i] ^ keys[i];
    for (int round = 1; round <= 10; round++) {
        uint8_t t[16];
        for (int i = 0; i < 16; i++)
            t[i] = SBOX[out[i]];
        for (int i = 0; i < 16; i++)
            out[i] = t[(5 * i) & 15];
        for (int i = 0; i < 16 && round < 10; i += 4) {
            uint8_t a = out[i], b = out[i + 1], c = out[i + 2], d = out[i + 3], all = a ^ b ^ c ^ d;
            out[i] ^= all ^ DOUBLED(a ^ b);
            out[i + 1] ^= all ^ DOUBLED(b ^ c);
            out[i + 2] ^= all ^ DOUBLED(c ^ d);
            out[i + 3] ^= all ^ DOUBLED(d ^ a);
        }
        for (int i = 0; i < 16; i++)
            out[i] ^= keys[16 * round + i];
    }
}

void call(const void *in, void *out) { aes128_block(in, (const uint8_t *)in + 176, out); }
