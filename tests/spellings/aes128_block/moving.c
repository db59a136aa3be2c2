/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move, while */
#include "../aes_table.h"

static uint8_t doubled(uint8_t x)
{
    return x << 1 ^ (x >> 7) * 27;
}

void aes128_block(const uint8_t *keys, const uint8_t *in, uint8_t *out)
{
    uint8_t s[16], t[16], *p = s;
    while (p != s + 16)
        *p++ = *in++ ^ *keys++;
    unsigned rounds = 10;
    while (rounds--) {
        uint8_t *q = t;
        for (unsigned i = 0; i < 16; i++)
            *q++ = SBOX[s[(i + 4 * (i & 3)) & 15]];
        p = s;
        for (q = t; q != t + 16; q += 4)
            for (unsigned r = 0; r < 4; r++) {
                uint8_t a = q[r], b = q[(r + 1) & 3], c = q[(r + 2) & 3], d = q[(r + 3) & 3];
                *p++ = (rounds ? doubled(a ^ b) ^ b ^ c ^ d : a) ^ *keys++;
            }
    }
    for (p = s; p != s + 16; p++)
        *out++ = *p;
}

void call(const void *in, void *out) { aes128_block(in, (const uint8_t *)in + 176, out); }
