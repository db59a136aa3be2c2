/* SPDX-License-Identifier: Apache-2.0 */
/* counting down */
#include "../aes_table.h"
#define DOUBLED(x) (uint8_t)((x) & 0x80 ? (x) << 1 ^ 0x1b : (x) << 1)

void aes128_block(const uint8_t keys[176], const uint8_t in[16], uint8_t out[16])
{
    uint8_t s[16], t[16];
    for (short i = 15; i >= 0; i--)
        s[i] = in[i] ^ keys[i];
    for (short left = 9; left >= 0; left--) {
        for (short i = 15; i >= 0; i--)
            t[i] = SBOX[s[5 * i & 15]];
        for (short i = 15; i >= 0; i--) {
            short base = i & 12;
            uint8_t a = t[i], b = t[base | ((i + 1) & 3)], c = t[base | ((i + 2) & 3)], d = t[base | ((i + 3) & 3)];
            s[i] = (left ? DOUBLED(a) ^ DOUBLED(b) ^ b ^ c ^ d : a) ^ keys[16 * (10 - left) + i];
        }
    }
    for (short i = 15; i >= 0; i--)
        out[i] = s[i];
}

void call(const void *in, void *out) { aes128_block(in, (const uint8_t *)in + 176, out); }
