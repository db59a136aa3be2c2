/* SPDX-License-Identifier: Apache-2.0 */
#include "aes_table.h"
#include "aes_s_box.h"
#include "aes_tables.h"

#define ROUNDS 10

/* Multiplies by x in the field of FIPS 197, 4.2.1. */
static uint8_t times_x(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}

/* SubBytes and ShiftRows (FIPS 197, 5.1.1 and 5.1.2): columns follow each other in memory. */
static void sub_bytes_and_shift_rows(const uint8_t state[16], uint8_t out[16])
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            out[4 * column + row] = s_box[state[4 * ((column + row) & 3) + row]];
}

/* MixColumns of one column (FIPS 197, 5.1.3): each byte becomes 2 a + 3 b + c + d. */
static void mix_column(const uint8_t in[4], uint8_t out[4])
{
    for (int i = 0; i < 4; i++) {
        uint8_t b = in[(i + 1) & 3], c = in[(i + 2) & 3], d = in[(i + 3) & 3];
        out[i] = times_x(in[i] ^ b) ^ b ^ c ^ d;
    }
}

/* The next round key in place of the last one (FIPS 197, 5.2). Each of its words is the sum of the
 * words up to it and of the same four bytes, which come last: they wait for the S-box. */
static void next_round_key(uint8_t key[16], uint8_t round_constant)
{
    uint8_t added[4];
    for (int i = 0; i < 4; i++)
        added[i] = s_box[key[12 + ((i + 1) & 3)]];
    key[0] ^= round_constant;
    for (int i = 4; i < 16; i++)
        key[i] ^= key[i - 4];
    for (int i = 0; i < 16; i++)
        key[i] ^= added[i & 3];
}

void aes128_encrypt_bytes(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16])
{
    uint8_t round_key[16], state[16], substituted[16], mixed[16];
    uint8_t round_constant = 1;
    for (int i = 0; i < 16; i++) {
        round_key[i] = key[i];
        state[i] = plain[i] ^ key[i];
    }
    for (int round = 1; round <= ROUNDS; round++) {
        next_round_key(round_key, round_constant);
        round_constant = times_x(round_constant);
        sub_bytes_and_shift_rows(state, substituted);
        for (int column = 0; column < 16; column += 4)
            mix_column(substituted + column, mixed + column);
        for (int i = 0; i < 16; i++)
            state[i] = (round < ROUNDS ? mixed[i] : substituted[i]) ^ round_key[i];
    }
    for (int i = 0; i < 16; i++)
        cipher[i] = state[i];
}

static uint32_t load_word(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store_word(uint8_t bytes[4], uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

/* SubBytes of bytes of four words: one of each row. */
static uint32_t substituted_word(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (uint32_t)s_box[a >> 24] << 24 | (uint32_t)s_box[b >> 16 & 0xff] << 16 |
           (uint32_t)s_box[c >> 8 & 0xff] << 8 | s_box[d & 0xff];
}

/* The same bytes through SubBytes and MixColumns. */
static uint32_t mixed_word(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return t_0[a >> 24] ^ t_1[b >> 16 & 0xff] ^ t_2[c >> 8 & 0xff] ^ t_3[d & 0xff];
}

static void next_key_words(uint32_t key[4], uint8_t round_constant)
{
    uint32_t turned = key[3] << 8 | key[3] >> 24;
    key[0] ^= substituted_word(turned, turned, turned, turned) ^ (uint32_t)round_constant << 24;
    key[1] ^= key[0];
    key[2] ^= key[1];
    key[3] ^= key[2];
}

void aes128_encrypt_table(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16])
{
    uint32_t round_key[4], a, b, c, d;
    uint8_t round_constant = 1;
    for (int i = 0; i < 4; i++)
        round_key[i] = load_word(key + 4 * i);
    a = load_word(plain) ^ round_key[0];
    b = load_word(plain + 4) ^ round_key[1];
    c = load_word(plain + 8) ^ round_key[2];
    d = load_word(plain + 12) ^ round_key[3];
    for (int round = 1; round < ROUNDS; round++) {
        next_key_words(round_key, round_constant);
        round_constant = times_x(round_constant);
        uint32_t first = mixed_word(a, b, c, d) ^ round_key[0];
        uint32_t second = mixed_word(b, c, d, a) ^ round_key[1];
        uint32_t third = mixed_word(c, d, a, b) ^ round_key[2];
        d = mixed_word(d, a, b, c) ^ round_key[3];
        a = first;
        b = second;
        c = third;
    }
    next_key_words(round_key, round_constant);
    store_word(cipher, substituted_word(a, b, c, d) ^ round_key[0]);
    store_word(cipher + 4, substituted_word(b, c, d, a) ^ round_key[1]);
    store_word(cipher + 8, substituted_word(c, d, a, b) ^ round_key[2]);
    store_word(cipher + 12, substituted_word(d, a, b, c) ^ round_key[3]);
}
