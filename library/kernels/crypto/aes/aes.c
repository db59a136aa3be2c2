/* SPDX-License-Identifier: Apache-2.0
 * Sections and figures are those of FIPS 197. A state's columns follow each other in memory. */
#include "aes.h"
#include "aes_s_box.h"

#define BLOCK 16
#define MOST_ROUNDS 14
#define MOST_KEY 32
#define AFFINE 0x63 /* 5.1.1 */

/* -- SubBytes and its inverse: a table in software, arithmetic in smaller fields in hardware -- */

#ifdef __SYNTHESIS__

/* A linear map of a byte's bits. */
static uint8_t mapped(const uint8_t columns[8], uint8_t a)
{
    uint8_t sum = 0;
    for (int i = 0; i < 8; i++)
        if (a >> i & 1)
            sum ^= columns[i];
    return sum;
}

/* In GF(2^4). Each product of two bits by two bits is two look-up tables of four inputs. */
static uint8_t times_16(uint8_t a, uint8_t b)
{
    uint8_t a_1 = a >> 2, a_0 = a & 3, b_1 = b >> 2, b_0 = b & 3;
    uint8_t high = times_4[a_1 << 2 | (b_0 ^ b_1)] ^ times_4[a_0 << 2 | b_1];
    uint8_t low = times_4[a_0 << 2 | b_0] ^ times_4_n[a_1 << 2 | b_1];
    return high << 2 | low;
}

/* 1 / (h y + l) = (h y + h + l) / (v h^2 + h l + l^2), for y^2 = y + v. */
static uint8_t inverse_256(uint8_t a)
{
    uint8_t h = a >> 4, l = a & 15;
    uint8_t scale = inverse_16[square_16_v[h] ^ times_16(l, h ^ l)];
    return times_16(h, scale) << 4 | times_16(h ^ l, scale);
}

static uint8_t substituted(uint8_t a)
{
    return mapped(out_of_tower, inverse_256(mapped(into_tower, a))) ^ AFFINE;
}

static uint8_t substituted_back(uint8_t a)
{
    return mapped(plain_out_of_tower, inverse_256(mapped(affine_into_tower, a ^ AFFINE)));
}

#else

static uint8_t substituted(uint8_t a)
{
    return s_box[a];
}

static uint8_t substituted_back(uint8_t a)
{
    return inverse_s_box[a];
}

#endif

/* -- the other steps of a round -- */

/* Times x in the field (4.2.1), and divided by it. */
static uint8_t times_x(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}

static uint8_t over_x(uint8_t a)
{
    return a >> 1 ^ (a & 1 ? 0x8d : 0);
}

/* SubBytes and ShiftRows (5.1.1, 5.1.2). */
static void sub_bytes_and_shift_rows(const uint8_t state[BLOCK], uint8_t out[BLOCK])
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            out[4 * column + row] = substituted(state[4 * ((column + row) & 3) + row]);
}

/* InvSubBytes and InvShiftRows (5.3.1, 5.3.2). */
static void back_through_both(const uint8_t state[BLOCK], uint8_t out[BLOCK])
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            out[4 * column + row] = substituted_back(state[4 * ((column - row) & 3) + row]);
}

/* MixColumns of one column (5.1.3): each byte becomes 2 a + 3 b + c + d. */
static void mix_column(const uint8_t in[4], uint8_t out[4])
{
    for (int i = 0; i < 4; i++) {
        uint8_t b = in[(i + 1) & 3], c = in[(i + 2) & 3], d = in[(i + 3) & 3];
        out[i] = times_x(in[i] ^ b) ^ b ^ c ^ d;
    }
}

/* InvMixColumns of one (5.3.3): 14 a + 11 b + 13 c + 9 d is what MixColumns makes of a + 4 (a + c)
 * and so on. */
static void unmix_column(const uint8_t in[4], uint8_t out[4])
{
    uint8_t before[4];
    for (int i = 0; i < 4; i++)
        before[i] = in[i] ^ times_x(times_x(in[i] ^ in[(i + 2) & 3]));
    mix_column(before, out);
}

/* A round begins with its key, so that the next key has all of its time. */
static void encrypt_round(uint8_t state[BLOCK], const uint8_t round_key[BLOCK], int is_last)
{
    uint8_t added[BLOCK], shifted[BLOCK], mixed[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        added[i] = state[i] ^ round_key[i];
    sub_bytes_and_shift_rows(added, shifted);
    for (int column = 0; column < BLOCK; column += 4)
        mix_column(shifted + column, mixed + column);
    for (int i = 0; i < BLOCK; i++)
        state[i] = is_last ? shifted[i] : mixed[i];
}

static void decrypt_round(uint8_t state[BLOCK], const uint8_t round_key[BLOCK], int is_first)
{
    uint8_t added[BLOCK], unmixed[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        added[i] = state[i] ^ round_key[i];
    for (int column = 0; column < BLOCK; column += 4)
        unmix_column(added + column, unmixed + column);
    for (int i = 0; i < BLOCK; i++)
        unmixed[i] = is_first ? added[i] : unmixed[i];
    back_through_both(unmixed, state);
}

/* -- the key schedule (5.2), four words a round -- */

/* As many words of the schedule as the key has, which begin with a round's key (or, on the way back,
 * end with it), and the constant of the next word that has one. */
typedef struct {
    uint8_t bytes[MOST_KEY];
    uint8_t constant;
    uint8_t phase; /* of a schedule whose keys end within a round: the round, modulo 3 or 2 */
} key_window;

/* What the schedule makes of the word before one that begins a key. */
static void turned_and_substituted(const uint8_t word[4], uint8_t constant, uint8_t out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = substituted(word[(i + 1) & 3]);
    out[0] ^= constant;
}

/* Moves the window of a round to the next one, or the one before. */
typedef void (*step)(key_window *window);

/* Each word is the sum of the words up to it and of the same four bytes, which come last: they wait
 * for the S-box. */
static void next_128(key_window *window)
{
    uint8_t *key = window->bytes, added[4];
    turned_and_substituted(key + 12, window->constant, added);
    for (int i = 4; i < 16; i++)
        key[i] ^= key[i - 4];
    for (int i = 0; i < 16; i++)
        key[i] ^= added[i & 3];
    window->constant = times_x(window->constant);
}

static void previous_128(key_window *window)
{
    uint8_t *key = window->bytes, added[4];
    for (int i = 15; i >= 4; i--)
        key[i] ^= key[i - 4];
    turned_and_substituted(key + 12, window->constant, added);
    for (int i = 0; i < 4; i++)
        key[i] ^= added[i];
    window->constant = over_x(window->constant);
}

/* Of four words the first begins a key, or the third, or none does, in turn. What is substituted
 * comes last here too. */
static void next_192(key_window *window)
{
    uint8_t *key = window->bytes, before[4], added[4], next[BLOCK];
    int first = window->phase == 0, third = window->phase == 1;
    for (int i = 0; i < 4; i++)
        before[i] = key[20 + i] ^ (third ? key[i] ^ key[4 + i] : 0);
    turned_and_substituted(before, window->constant, added);
    for (int i = 0; i < 4; i++) {
        uint8_t to_all = first ? added[i] : 0, to_last = first || third ? added[i] : 0;
        uint8_t word_0 = key[i] ^ (first ? 0 : key[20 + i]), word_1 = key[4 + i] ^ word_0;
        uint8_t word_2 = key[8 + i] ^ (third ? 0 : word_1), word_3 = key[12 + i] ^ word_2;
        next[i] = word_0 ^ to_all;
        next[4 + i] = word_1 ^ to_all;
        next[8 + i] = word_2 ^ to_last;
        next[12 + i] = word_3 ^ to_last;
    }
    for (int i = 0; i < 24; i++)
        key[i] = i < 8 ? key[BLOCK + i] : next[i - 8];
    window->phase = window->phase == 2 ? 0 : window->phase + 1;
    if (first || third)
        window->constant = times_x(window->constant);
}

static void previous_192(key_window *window)
{
    uint8_t *key = window->bytes, before[4], added[4], last[BLOCK];
    int first = window->phase == 0, third = window->phase == 1;
    for (int i = 0; i < 4; i++) {
        uint8_t of_third = key[12 + i], of_first = key[4 + i];
        before[i] = third ? of_third : of_first;
    }
    turned_and_substituted(before, window->constant, added);
    for (int i = 0; i < 4; i++) {
        last[i] = key[8 + i] ^ (first ? added[i] : key[4 + i]);
        last[4 + i] = key[12 + i] ^ key[8 + i];
        last[8 + i] = key[16 + i] ^ (third ? added[i] : key[12 + i]);
        last[12 + i] = key[20 + i] ^ key[16 + i];
    }
    for (int i = 23; i >= 0; i--)
        key[i] = i < BLOCK ? last[i] : key[i - BLOCK];
    window->phase = window->phase == 0 ? 2 : window->phase - 1;
    if (first || third)
        window->constant = over_x(window->constant);
}

/* Of eight words the first begins a key; the fifth is added to what is substituted without a turn. */
static void added_256(const uint8_t word[4], uint8_t constant, int is_first, uint8_t added[4])
{
    uint8_t before[4];
    for (int i = 0; i < 4; i++) {
        uint8_t as_it_is = word[i], turned_back = word[(i - 1) & 3];
        before[i] = is_first ? as_it_is : turned_back;
    }
    turned_and_substituted(before, is_first ? constant : 0, added);
}

static void next_256(key_window *window)
{
    uint8_t *key = window->bytes, added[4], next[BLOCK];
    int is_first = window->phase == 0;
    added_256(key + 28, window->constant, is_first, added);
    for (int i = 0; i < BLOCK; i++)
        next[i] = key[i] ^ (i < 4 ? added[i] : next[i - 4]);
    for (int i = 0; i < BLOCK; i++) {
        key[i] = key[BLOCK + i];
        key[BLOCK + i] = next[i];
    }
    window->phase = is_first;
    if (is_first)
        window->constant = times_x(window->constant);
}

static void previous_256(key_window *window)
{
    uint8_t *key = window->bytes, added[4], last[BLOCK];
    int is_first = window->phase == 0;
    added_256(key + 12, window->constant, is_first, added);
    for (int i = 0; i < BLOCK; i++)
        last[i] = key[BLOCK + i] ^ (i < 4 ? added[i] : key[BLOCK + i - 4]);
    for (int i = 0; i < BLOCK; i++) {
        key[BLOCK + i] = key[i];
        key[i] = last[i];
    }
    window->phase = is_first;
    if (is_first)
        window->constant = over_x(window->constant);
}

/* -- one block -- */

static void load(uint8_t to[], const uint8_t from[], int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = from[i];
}

static void add(const uint8_t a[BLOCK], const uint8_t b[BLOCK], uint8_t sum[BLOCK])
{
    for (int i = 0; i < BLOCK; i++)
        sum[i] = a[i] ^ b[i];
}

static void encrypt(const uint8_t *key, int key_bytes, step next, const uint8_t plain[BLOCK],
                    uint8_t cipher[BLOCK])
{
    int rounds = key_bytes / 4 + 6;
    uint8_t state[BLOCK];
    key_window window = {{0}, 1, 0};
    load(window.bytes, key, key_bytes);
    load(state, plain, BLOCK);
#pragma tandem pipeline
    for (int round = 0; round < rounds; round++) {
        encrypt_round(state, window.bytes, round == rounds - 1);
        next(&window);
    }
    add(state, window.bytes, cipher);
}

/* `constant` is that of the schedule's last key. */
static void decrypt(const uint8_t *last, int key_bytes, uint8_t constant, step previous,
                    const uint8_t cipher[BLOCK], uint8_t plain[BLOCK])
{
    int rounds = key_bytes / 4 + 6;
    uint8_t state[BLOCK];
    key_window window = {{0}, constant, 0};
    const uint8_t *round_key = window.bytes + key_bytes - BLOCK;
    load(window.bytes, last, key_bytes);
    load(state, cipher, BLOCK);
#pragma tandem pipeline
    for (int round = rounds; round > 0; round--) {
        decrypt_round(state, round_key, round == rounds);
        previous(&window);
    }
    add(state, round_key, plain);
}

void aes128_encrypt(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16])
{
    encrypt(key, 16, next_128, plain, cipher);
}

void aes128_decrypt(const uint8_t last[16], const uint8_t cipher[16], uint8_t plain[16])
{
    decrypt(last, 16, 0x36, previous_128, cipher, plain);
}

void aes192_encrypt(const uint8_t key[24], const uint8_t plain[16], uint8_t cipher[16])
{
    encrypt(key, 24, next_192, plain, cipher);
}

void aes192_decrypt(const uint8_t last[24], const uint8_t cipher[16], uint8_t plain[16])
{
    decrypt(last, 24, 0x80, previous_192, cipher, plain);
}

void aes256_encrypt(const uint8_t key[32], const uint8_t plain[16], uint8_t cipher[16])
{
    encrypt(key, 32, next_256, plain, cipher);
}

void aes256_decrypt(const uint8_t last[32], const uint8_t cipher[16], uint8_t plain[16])
{
    decrypt(last, 32, 0x40, previous_256, cipher, plain);
}

/* -- many blocks -- */

typedef uint8_t schedule[MOST_ROUNDS + 1][BLOCK];

static void make_schedule(const uint8_t *key, int key_bytes, step next, schedule round_keys)
{
    key_window window = {{0}, 1, 0};
    load(window.bytes, key, key_bytes);
    for (int round = 0; round <= key_bytes / 4 + 6; round++) {
        load(round_keys[round], window.bytes, BLOCK);
        next(&window);
    }
}

static void encrypt_block(const uint8_t plain[BLOCK], uint8_t cipher[BLOCK], schedule round_keys,
                          int rounds)
{
    uint8_t state[BLOCK];
    load(state, plain, BLOCK);
    for (int round = 0; round < rounds; round++)
        encrypt_round(state, round_keys[round], round == rounds - 1);
    add(state, round_keys[rounds], cipher);
}

static void decrypt_block(const uint8_t cipher[BLOCK], uint8_t plain[BLOCK], schedule round_keys,
                          int rounds)
{
    uint8_t state[BLOCK];
    load(state, cipher, BLOCK);
    for (int round = rounds; round > 0; round--)
        decrypt_round(state, round_keys[round], round == rounds);
    add(state, round_keys[0], plain);
}

/* The end of the schedule, as long as the key. */
static void last_keys(const uint8_t *key, int key_bytes, step next, uint8_t *last)
{
    schedule round_keys;
    int rounds = key_bytes / 4 + 6;
    make_schedule(key, key_bytes, next, round_keys);
    for (int i = 0; i < key_bytes; i++) {
        int at = BLOCK * (rounds + 1) - key_bytes + i;
        last[i] = round_keys[at / BLOCK][at % BLOCK];
    }
}

static void ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t *key, int key_bytes,
                step next)
{
    schedule round_keys;
    make_schedule(key, key_bytes, next, round_keys);
#pragma tandem pipeline
    for (size_t i = 0; i < blocks; i++)
        encrypt_block(in + BLOCK * i, out + BLOCK * i, round_keys, key_bytes / 4 + 6);
}

static void ecb_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t *key,
                        int key_bytes, step next)
{
    schedule round_keys;
    make_schedule(key, key_bytes, next, round_keys);
#pragma tandem pipeline
    for (size_t i = 0; i < blocks; i++)
        decrypt_block(in + BLOCK * i, out + BLOCK * i, round_keys, key_bytes / 4 + 6);
}

static uint64_t load_number(const uint8_t bytes[8])
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

static void store_number(uint8_t bytes[8], uint64_t number)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (56 - 8 * i));
}

static void ctr(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t *key, int key_bytes,
                step next, const uint8_t counter[BLOCK])
{
    schedule round_keys;
    uint64_t high = load_number(counter), low = load_number(counter + 8);
    make_schedule(key, key_bytes, next, round_keys);
#pragma tandem pipeline
    for (size_t i = 0; i < blocks; i++) {
        uint8_t number[BLOCK], pad[BLOCK];
        store_number(number, high + (low + i < low));
        store_number(number + 8, low + i);
        encrypt_block(number, pad, round_keys, key_bytes / 4 + 6);
        for (int j = 0; j < BLOCK; j++)
            out[BLOCK * i + j] = in[BLOCK * i + j] ^ pad[j];
    }
}

void aes128_last_keys(const uint8_t key[16], uint8_t last[16])
{
    last_keys(key, 16, next_128, last);
}

void aes128_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16])
{
    ecb(in, out, blocks, key, 16, next_128);
}

void aes128_ecb_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16])
{
    ecb_decrypt(in, out, blocks, key, 16, next_128);
}

void aes128_ctr(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16],
                const uint8_t counter[16])
{
    ctr(in, out, blocks, key, 16, next_128, counter);
}

void aes192_last_keys(const uint8_t key[24], uint8_t last[24])
{
    last_keys(key, 24, next_192, last);
}

void aes192_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24])
{
    ecb(in, out, blocks, key, 24, next_192);
}

void aes192_ecb_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24])
{
    ecb_decrypt(in, out, blocks, key, 24, next_192);
}

void aes192_ctr(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24],
                const uint8_t counter[16])
{
    ctr(in, out, blocks, key, 24, next_192, counter);
}

void aes256_last_keys(const uint8_t key[32], uint8_t last[32])
{
    last_keys(key, 32, next_256, last);
}

void aes256_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[32])
{
    ecb(in, out, blocks, key, 32, next_256);
}

void aes256_ecb_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[32])
{
    ecb_decrypt(in, out, blocks, key, 32, next_256);
}

void aes256_ctr(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[32],
                const uint8_t counter[16])
{
    ctr(in, out, blocks, key, 32, next_256, counter);
}
