/* SPDX-License-Identifier: Apache-2.0 */
#include "aes128.h"
#include "aes128_tables.h"

#define ROUNDS 10

/* SubBytes: FIPS 197, figure 7. */
static const uint8_t s_box[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b,
    0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0,
    0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26,
    0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2,
    0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0,
    0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed,
    0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f,
    0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5,
    0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec,
    0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14,
    0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c,
    0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d,
    0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f,
    0x4b, 0xbd, 0x8b, 0x8a, 0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e,
    0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
    0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f,
    0xb0, 0x54, 0xbb, 0x16,
};

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

void aes128_encrypt(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16])
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
