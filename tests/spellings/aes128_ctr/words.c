/* SPDX-License-Identifier: Apache-2.0 */
/* columns in words of 32 bits, the first byte on top as FIPS-197 writes them; two halves count */
#include "../aes_table.h"
enum { BLOCKS = 16 };

static uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static uint32_t substituted(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (uint32_t)SBOX[a >> 24] << 24 | SBOX[b >> 16 & 255] << 16 | SBOX[c >> 8 & 255] << 8 | SBOX[d & 255];
}

static uint32_t mixed(uint32_t x)
{
    uint32_t twice = (x & 0x7f7f7f7f) << 1 ^ (x >> 7 & 0x01010101) * 0x1b, other = twice ^ x;
    return twice ^ (other << 8 | other >> 24) ^ (x << 16 | x >> 16) ^ (x << 24 | x >> 8);
}

void aes128_ctr(const uint8_t *keys, const uint8_t *first, const uint8_t *in, uint8_t *out)
{
    uint64_t high = (uint64_t)word(first) << 32 | word(first + 4), low = (uint64_t)word(first + 8) << 32 | word(first + 12);
    for (int block = 0; block < BLOCKS; block++, in += 16, out += 16) {
        uint32_t s[4] = {high >> 32, (uint32_t)high, low >> 32, (uint32_t)low}, t[4];
        for (int c = 0; c < 4; c++)
            s[c] ^= word(keys + 4 * c);
        for (int round = 1; round <= 10; round++) {
            for (int c = 0; c < 4; c++)
                t[c] = substituted(s[c], s[(c + 1) % 4], s[(c + 2) % 4], s[(c + 3) % 4]);
            for (int c = 0; c < 4; c++)
                s[c] = (round < 10 ? mixed(t[c]) : t[c]) ^ word(keys + 16 * round + 4 * c);
        }
        for (int i = 0; i < 16; i++)
            out[i] = in[i] ^ (uint8_t)(s[i / 4] >> (24 - 8 * (i % 4)));
        high += ++low == 0;
    }
}

void call(const void *in, void *out) { aes128_ctr(in, (const uint8_t *)in + 176, (const uint8_t *)in + 192, out); }
