/* SPDX-License-Identifier: Apache-2.0 */
#include "present.h"
#include "present_tables.h"

#define ROUNDS 31

static const uint8_t s_box[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};

/* The key register of 80 bits: bits 79 to 48, 47 to 16, and 15 to 0. The first 64 are the round key. */
typedef struct {
    uint32_t high;
    uint32_t middle;
    uint16_t low;
} key_register;

typedef struct {
    uint32_t high;
    uint32_t low;
} block;

static uint32_t load_word(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store_word(uint8_t bytes[4], uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

static key_register load_key(const uint8_t key[10])
{
    key_register loaded = {load_word(key), load_word(key + 4), (uint16_t)(key[8] << 8 | key[9])};
    return loaded;
}

/* Turned left by 61 bits; the highest nibble through the S-box; the round into bits 19 to 15. */
static key_register next_key(key_register key, uint32_t round)
{
    key_register next;
    uint32_t high = (key.middle & 7) << 29 | (uint32_t)key.low << 13 | key.high >> 19;
    next.high = (uint32_t)s_box[high >> 28] << 28 | (high & 0xfffffff);
    next.middle = (key.high << 13 | key.middle >> 19) ^ round >> 1;
    next.low = (uint16_t)(key.middle >> 3 ^ (round & 1) << 15);
    return next;
}

static block add_round_key(block state, key_register key)
{
    state.high ^= key.high;
    state.low ^= key.middle;
    return state;
}

/* -- bit by bit -- */

static uint64_t substitute(uint64_t state)
{
    uint64_t result = 0;
    for (int i = 0; i < 64; i += 4)
        result |= (uint64_t)s_box[state >> i & 15] << i;
    return result;
}

/* Bit i goes to 16 i mod 63, bit 63 stays: bit b of nibble n becomes bit n of 16-bit word b. */
static uint64_t permute(uint64_t state)
{
    uint64_t result = 0;
    for (int i = 0; i < 64; i++)
        result |= (state >> i & 1) << (16 * (i & 3) + (i >> 2));
    return result;
}

static block layers_of_bits(block state)
{
    uint64_t permuted = permute(substitute((uint64_t)state.high << 32 | state.low));
    block next = {(uint32_t)(permuted >> 32), (uint32_t)permuted};
    return next;
}

/* -- nibble by nibble -- */

/* What eight nibbles give: in each byte of the result, bit i of nibble n is bit n of byte i. */
static uint32_t layers_of_eight_nibbles(uint32_t word)
{
    uint32_t result = 0;
    for (int n = 0; n < 8; n++) {
        uint32_t nibble = s_box[word & 15];
        word >>= 4;
        result |= ((nibble & 1) | (nibble & 2) << 7 | (nibble & 4) << 14 | (nibble & 8) << 21) << n;
    }
    return result;
}

/* The state from the bytes that its two halves give: those of the lower half come first. */
static block join(uint32_t of_high, uint32_t of_low)
{
    block next = {
        (of_low >> 16 & 0xff) | (of_high >> 8 & 0xff00) | (of_low >> 8 & 0xff0000) |
            (of_high & 0xff000000),
        (of_low & 0xff) | (of_high & 0xff) << 8 | (of_low & 0xff00) << 8 | (of_high & 0xff00) << 16,
    };
    return next;
}

static block layers_of_nibbles(block state)
{
    return join(layers_of_eight_nibbles(state.high), layers_of_eight_nibbles(state.low));
}

/* -- by the table -- */

static uint32_t layers_of_four_bytes(uint32_t word)
{
    return spread[word & 0xff] | spread[word >> 8 & 0xff] << 2 | spread[word >> 16 & 0xff] << 4 |
           spread[word >> 24] << 6;
}

static block layers_of_bytes(block state)
{
    return join(layers_of_four_bytes(state.high), layers_of_four_bytes(state.low));
}

/* -- all rounds -- */

/* `layers` is what comes after a round's key. */
static void encrypt(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8],
                    block (*layers)(block))
{
    key_register round_key = load_key(key);
    block state = {load_word(plain), load_word(plain + 4)};
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        state = layers(add_round_key(state, round_key));
        round_key = next_key(round_key, round);
    }
    state = add_round_key(state, round_key);
    store_word(cipher, state.high);
    store_word(cipher + 4, state.low);
}

void present80_encrypt(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8])
{
    encrypt(key, plain, cipher, layers_of_bits);
}

void present80_encrypt_bits(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8])
{
    encrypt(key, plain, cipher, layers_of_bits);
}

void present80_encrypt_nibbles(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8])
{
    encrypt(key, plain, cipher, layers_of_nibbles);
}

void present80_encrypt_table(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8])
{
    encrypt(key, plain, cipher, layers_of_bytes);
}

/* -- a key of 128 bits -- */

/* The key register of 128 bits. `high` is the round key. */
typedef struct {
    uint64_t high;
    uint64_t low;
} long_key_register;

static uint64_t load_block(const uint8_t bytes[8])
{
    return (uint64_t)load_word(bytes) << 32 | load_word(bytes + 4);
}

static void store_block(uint8_t bytes[8], uint64_t state)
{
    store_word(bytes, (uint32_t)(state >> 32));
    store_word(bytes + 4, (uint32_t)state);
}

static long_key_register load_long_key(const uint8_t key[16])
{
    long_key_register loaded = {load_block(key), load_block(key + 8)};
    return loaded;
}

/* Turned left by 61 bits; both highest nibbles through the S-box; the round into bits 66 to 62. */
static long_key_register next_long_key(long_key_register key, uint32_t round)
{
    uint64_t high = key.high << 61 | key.low >> 3, low = key.low << 61 | key.high >> 3;
    uint64_t substituted = (uint64_t)s_box[high >> 60] << 60 | (uint64_t)s_box[high >> 56 & 15] << 56;
    long_key_register next = {
        (substituted | (high & UINT64_C(0xffffffffffffff))) ^ round >> 2,
        low ^ (uint64_t)(round & 3) << 62,
    };
    return next;
}

void present128_encrypt(const uint8_t key[16], const uint8_t plain[8], uint8_t cipher[8])
{
    long_key_register round_key = load_long_key(key);
    uint64_t state = load_block(plain);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        state = permute(substitute(state ^ round_key.high));
        round_key = next_long_key(round_key, round);
    }
    store_block(cipher, state ^ round_key.high);
}

/* -- many blocks -- */

static void ecb(const uint8_t *in, uint8_t *out, size_t blocks,
                const uint64_t round_keys[ROUNDS + 1])
{
#pragma tandem pipeline
    for (size_t i = 0; i < blocks; i++) {
        uint64_t state = load_block(in + 8 * i);
        for (int round = 0; round < ROUNDS; round++)
            state = permute(substitute(state ^ round_keys[round]));
        store_block(out + 8 * i, state ^ round_keys[ROUNDS]);
    }
}

void present80_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[10])
{
    uint64_t round_keys[ROUNDS + 1];
    key_register round_key = load_key(key);
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        round_keys[round] = (uint64_t)round_key.high << 32 | round_key.middle;
        round_key = next_key(round_key, round + 1);
    }
    ecb(in, out, blocks, round_keys);
}

void present128_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16])
{
    uint64_t round_keys[ROUNDS + 1];
    long_key_register round_key = load_long_key(key);
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        round_keys[round] = round_key.high;
        round_key = next_long_key(round_key, round + 1);
    }
    ecb(in, out, blocks, round_keys);
}
