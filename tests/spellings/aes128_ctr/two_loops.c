/* SPDX-License-Identifier: Apache-2.0 */
/* the whole stream of keys first, which is added behind it; the steps in place */
#include <string.h>
#include "../aes_table.h"
enum { BLOCKS = 16 };

static void add_key(uint8_t *s, const uint8_t *key)
{
    for (int i = 0; i < 16; i++)
        s[i] ^= key[i];
}

static void substitute_and_shift(uint8_t *s)
{
    uint8_t t[16];
    memcpy(t, s, sizeof t);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            s[4 * c + r] = SBOX[t[4 * ((c + r) % 4) + r]];
}

static void mix(uint8_t *s)
{
    for (uint8_t *p = s; p < s + 16; p += 4) {
        uint8_t all = p[0] ^ p[1] ^ p[2] ^ p[3], first = p[0];
        for (int r = 0; r < 4; r++) {
            uint8_t pair = p[r] ^ (r < 3 ? p[r + 1] : first);
            p[r] ^= all ^ (uint8_t)(pair << 1) ^ (pair >> 7) * 0x1b;
        }
    }
}

static void count(uint8_t *counter)
{
    unsigned carry = 1;
    for (int i = 15; i >= 0; i--) {
        carry += counter[i];
        counter[i] = carry;
        carry >>= 8;
    }
}

void aes128_ctr(const uint8_t *keys, const uint8_t *first, const uint8_t *in, uint8_t *out)
{
    uint8_t counter[16], stream[16 * BLOCKS];
    memcpy(counter, first, sizeof counter);
    for (int block = 0; block < BLOCKS; block++) {
        uint8_t *s = stream + 16 * block;
        memcpy(s, counter, sizeof counter);
        add_key(s, keys);
        for (int round = 1; round <= 10; round++) {
            substitute_and_shift(s);
            if (round != 10)
                mix(s);
            add_key(s, keys + 16 * round);
        }
        count(counter);
    }
    for (int i = 0; i < 16 * BLOCKS; i++)
        out[i] = in[i] ^ stream[i];
}

void call(const void *in, void *out) { aes128_ctr(in, (const uint8_t *)in + 176, (const uint8_t *)in + 192, out); }
