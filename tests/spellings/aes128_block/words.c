/* SPDX-License-Identifier: Apache-2.0 */
/* columns in words of 32 bits */
#include "../aes_table.h"

static uint32_t word(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t substituted(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return SBOX[a & 255] | SBOX[b >> 8 & 255] << 8 | SBOX[c >> 16 & 255] << 16 | (uint32_t)SBOX[d >> 24] << 24;
}

static uint32_t mixed(uint32_t x)
{
    uint32_t twice = (x & 0x7f7f7f7f) << 1 ^ (x >> 7 & 0x01010101) * 0x1b;
    uint32_t thrice = twice ^ x;
    return twice ^ (thrice >> 8 | thrice << 24) ^ (x >> 16 | x << 16) ^ (x >> 24 | x << 8);
}

void aes128_block(const uint8_t *keys, const uint8_t *in, uint8_t *out)
{
    uint32_t a = word(in) ^ word(keys), b = word(in + 4) ^ word(keys + 4);
    uint32_t c = word(in + 8) ^ word(keys + 8), d = word(in + 12) ^ word(keys + 12);
    for (int round = 1; round <= 10; round++) {
        const uint8_t *key = keys + 16 * round;
        uint32_t e = substituted(a, b, c, d), f = substituted(b, c, d, a);
        uint32_t g = substituted(c, d, a, b), h = substituted(d, a, b, c);
        if (round < 10)
            e = mixed(e), f = mixed(f), g = mixed(g), h = mixed(h);
        a = e ^ word(key), b = f ^ word(key + 4), c = g ^ word(key + 8), d = h ^ word(key + 12);
    }
    const uint32_t last[4] = {a, b, c, d};
    for (int i = 0; i < 16; i++)
        out[i] = last[i / 4] >> 8 * (i % 4);
}

void call(const void *in, void *out) { aes128_block(in, (const uint8_t *)in + 176, out); }
