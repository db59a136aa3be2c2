/* SPDX-License-Identifier: Apache-2.0 */
/* functions for the standard's steps */
#include <string.h>
#include "../aes_table.h"

static void add_key(uint8_t *s, const uint8_t *key)
{
    for (int i = 0; i < 16; i++)
        s[i] ^= key[i];
}

static void substitute(uint8_t *s)
{
    for (int i = 0; i < 16; i++)
        s[i] = SBOX[s[i]];
}

static void shift_rows(uint8_t *s)
{
    uint8_t t[16];
    memcpy(t, s, 16);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            s[4 * c + r] = t[4 * ((c + r) % 4) + r];
}

static uint8_t doubled(uint8_t x)
{
    return x & 0x80 ? x << 1 ^ 0x1b : x << 1;
}

static void mix_columns(uint8_t *s)
{
    for (uint8_t *p = s; p < s + 16; p += 4) {
        uint8_t a = p[0], b = p[1], c = p[2], d = p[3];
        p[0] = doubled(a) ^ doubled(b) ^ b ^ c ^ d;
        p[1] = a ^ doubled(b) ^ doubled(c) ^ c ^ d;
        p[2] = a ^ b ^ doubled(c) ^ doubled(d) ^ d;
        p[3] = doubled(a) ^ a ^ b ^ c ^ doubled(d);
    }
}

void aes128_block(const uint8_t *keys, const uint8_t *in, uint8_t *out)
{
    uint8_t s[16];
    memcpy(s, in, 16);
    add_key(s, keys);
    for (int round = 1; round < 10; round++) {
        substitute(s);
        shift_rows(s);
        mix_columns(s);
        add_key(s, keys + 16 * round);
    }
    substitute(s);
    shift_rows(s);
    add_key(s, keys + 160);
    memcpy(out, s, 16);
}

void call(const void *in, void *out) { aes128_block(in, (const uint8_t *)in + 176, out); }
