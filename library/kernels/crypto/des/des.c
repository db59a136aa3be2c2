/* SPDX-License-Identifier: Apache-2.0
 * The Data Encryption Standard as FIPS 46-3 writes it down: tables and loops. */
#include "des.h"

static const uint8_t initial_permutation[64] = {
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,
    62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9,  1, 59, 51, 43, 35, 27, 19, 11, 3,
    61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};

static const uint8_t final_permutation[64] = {
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31,
    38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27,
    34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9,  49, 17, 57, 25};

static const uint8_t permuted_choice_1[56] = {
    57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
    35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
    46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};

static const uint8_t permuted_choice_2[48] = {
    14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
    26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
    51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};

static const uint8_t left_shifts[DES_ROUNDS] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

/* Each S-box followed by the permutation P, indexed by the six bits that enter the S-box: the way
 * software has combined the two since the 1980s. */
static const uint32_t sp_box[8][64] = {
    {0x00808200, 0x00000000, 0x00008000, 0x00808202, 0x00808002, 0x00008202, 0x00000002, 0x00008000,
     0x00000200, 0x00808200, 0x00808202, 0x00000200, 0x00800202, 0x00808002, 0x00800000, 0x00000002,
     0x00000202, 0x00800200, 0x00800200, 0x00008200, 0x00008200, 0x00808000, 0x00808000, 0x00800202,
     0x00008002, 0x00800002, 0x00800002, 0x00008002, 0x00000000, 0x00000202, 0x00008202, 0x00800000,
     0x00008000, 0x00808202, 0x00000002, 0x00808000, 0x00808200, 0x00800000, 0x00800000, 0x00000200,
     0x00808002, 0x00008000, 0x00008200, 0x00800002, 0x00000200, 0x00000002, 0x00800202, 0x00008202,
     0x00808202, 0x00008002, 0x00808000, 0x00800202, 0x00800002, 0x00000202, 0x00008202, 0x00808200,
     0x00000202, 0x00800200, 0x00800200, 0x00000000, 0x00008002, 0x00008200, 0x00000000, 0x00808002},
    {0x40084010, 0x40004000, 0x00004000, 0x00084010, 0x00080000, 0x00000010, 0x40080010, 0x40004010,
     0x40000010, 0x40084010, 0x40084000, 0x40000000, 0x40004000, 0x00080000, 0x00000010, 0x40080010,
     0x00084000, 0x00080010, 0x40004010, 0x00000000, 0x40000000, 0x00004000, 0x00084010, 0x40080000,
     0x00080010, 0x40000010, 0x00000000, 0x00084000, 0x00004010, 0x40084000, 0x40080000, 0x00004010,
     0x00000000, 0x00084010, 0x40080010, 0x00080000, 0x40004010, 0x40080000, 0x40084000, 0x00004000,
     0x40080000, 0x40004000, 0x00000010, 0x40084010, 0x00084010, 0x00000010, 0x00004000, 0x40000000,
     0x00004010, 0x40084000, 0x00080000, 0x40000010, 0x00080010, 0x40004010, 0x40000010, 0x00080010,
     0x00084000, 0x00000000, 0x40004000, 0x00004010, 0x40000000, 0x40080010, 0x40084010, 0x00084000},
    {0x00000104, 0x04010100, 0x00000000, 0x04010004, 0x04000100, 0x00000000, 0x00010104, 0x04000100,
     0x00010004, 0x04000004, 0x04000004, 0x00010000, 0x04010104, 0x00010004, 0x04010000, 0x00000104,
     0x04000000, 0x00000004, 0x04010100, 0x00000100, 0x00010100, 0x04010000, 0x04010004, 0x00010104,
     0x04000104, 0x00010100, 0x00010000, 0x04000104, 0x00000004, 0x04010104, 0x00000100, 0x04000000,
     0x04010100, 0x04000000, 0x00010004, 0x00000104, 0x00010000, 0x04010100, 0x04000100, 0x00000000,
     0x00000100, 0x00010004, 0x04010104, 0x04000100, 0x04000004, 0x00000100, 0x00000000, 0x04010004,
     0x04000104, 0x00010000, 0x04000000, 0x04010104, 0x00000004, 0x00010104, 0x00010100, 0x04000004,
     0x04010000, 0x04000104, 0x00000104, 0x04010000, 0x00010104, 0x00000004, 0x04010004, 0x00010100},
    {0x80401000, 0x80001040, 0x80001040, 0x00000040, 0x00401040, 0x80400040, 0x80400000, 0x80001000,
     0x00000000, 0x00401000, 0x00401000, 0x80401040, 0x80000040, 0x00000000, 0x00400040, 0x80400000,
     0x80000000, 0x00001000, 0x00400000, 0x80401000, 0x00000040, 0x00400000, 0x80001000, 0x00001040,
     0x80400040, 0x80000000, 0x00001040, 0x00400040, 0x00001000, 0x00401040, 0x80401040, 0x80000040,
     0x00400040, 0x80400000, 0x00401000, 0x80401040, 0x80000040, 0x00000000, 0x00000000, 0x00401000,
     0x00001040, 0x00400040, 0x80400040, 0x80000000, 0x80401000, 0x80001040, 0x80001040, 0x00000040,
     0x80401040, 0x80000040, 0x80000000, 0x00001000, 0x80400000, 0x80001000, 0x00401040, 0x80400040,
     0x80001000, 0x00001040, 0x00400000, 0x80401000, 0x00000040, 0x00400000, 0x00001000, 0x00401040},
    {0x00000080, 0x01040080, 0x01040000, 0x21000080, 0x00040000, 0x00000080, 0x20000000, 0x01040000,
     0x20040080, 0x00040000, 0x01000080, 0x20040080, 0x21000080, 0x21040000, 0x00040080, 0x20000000,
     0x01000000, 0x20040000, 0x20040000, 0x00000000, 0x20000080, 0x21040080, 0x21040080, 0x01000080,
     0x21040000, 0x20000080, 0x00000000, 0x21000000, 0x01040080, 0x01000000, 0x21000000, 0x00040080,
     0x00040000, 0x21000080, 0x00000080, 0x01000000, 0x20000000, 0x01040000, 0x21000080, 0x20040080,
     0x01000080, 0x20000000, 0x21040000, 0x01040080, 0x20040080, 0x00000080, 0x01000000, 0x21040000,
     0x21040080, 0x00040080, 0x21000000, 0x21040080, 0x01040000, 0x00000000, 0x20040000, 0x21000000,
     0x00040080, 0x01000080, 0x20000080, 0x00040000, 0x00000000, 0x20040000, 0x01040080, 0x20000080},
    {0x10000008, 0x10200000, 0x00002000, 0x10202008, 0x10200000, 0x00000008, 0x10202008, 0x00200000,
     0x10002000, 0x00202008, 0x00200000, 0x10000008, 0x00200008, 0x10002000, 0x10000000, 0x00002008,
     0x00000000, 0x00200008, 0x10002008, 0x00002000, 0x00202000, 0x10002008, 0x00000008, 0x10200008,
     0x10200008, 0x00000000, 0x00202008, 0x10202000, 0x00002008, 0x00202000, 0x10202000, 0x10000000,
     0x10002000, 0x00000008, 0x10200008, 0x00202000, 0x10202008, 0x00200000, 0x00002008, 0x10000008,
     0x00200000, 0x10002000, 0x10000000, 0x00002008, 0x10000008, 0x10202008, 0x00202000, 0x10200000,
     0x00202008, 0x10202000, 0x00000000, 0x10200008, 0x00000008, 0x00002000, 0x10200000, 0x00202008,
     0x00002000, 0x00200008, 0x10002008, 0x00000000, 0x10202000, 0x10000000, 0x00200008, 0x10002008},
    {0x00100000, 0x02100001, 0x02000401, 0x00000000, 0x00000400, 0x02000401, 0x00100401, 0x02100400,
     0x02100401, 0x00100000, 0x00000000, 0x02000001, 0x00000001, 0x02000000, 0x02100001, 0x00000401,
     0x02000400, 0x00100401, 0x00100001, 0x02000400, 0x02000001, 0x02100000, 0x02100400, 0x00100001,
     0x02100000, 0x00000400, 0x00000401, 0x02100401, 0x00100400, 0x00000001, 0x02000000, 0x00100400,
     0x02000000, 0x00100400, 0x00100000, 0x02000401, 0x02000401, 0x02100001, 0x02100001, 0x00000001,
     0x00100001, 0x02000000, 0x02000400, 0x00100000, 0x02100400, 0x00000401, 0x00100401, 0x02100400,
     0x00000401, 0x02000001, 0x02100401, 0x02100000, 0x00100400, 0x00000000, 0x00000001, 0x02100401,
     0x00000000, 0x00100401, 0x02100000, 0x00000400, 0x02000001, 0x02000400, 0x00000400, 0x00100001},
    {0x08000820, 0x00000800, 0x00020000, 0x08020820, 0x08000000, 0x08000820, 0x00000020, 0x08000000,
     0x00020020, 0x08020000, 0x08020820, 0x00020800, 0x08020800, 0x00020820, 0x00000800, 0x00000020,
     0x08020000, 0x08000020, 0x08000800, 0x00000820, 0x00020800, 0x00020020, 0x08020020, 0x08020800,
     0x00000820, 0x00000000, 0x00000000, 0x08020020, 0x08000020, 0x08000800, 0x00020820, 0x00020000,
     0x00020820, 0x00020000, 0x08020800, 0x00000800, 0x00000020, 0x08020020, 0x00000800, 0x00020820,
     0x08000800, 0x00000020, 0x08000020, 0x08020000, 0x08020020, 0x08000000, 0x00020000, 0x08000820,
     0x00000000, 0x08020820, 0x00020020, 0x08000020, 0x08020000, 0x08000800, 0x08000820, 0x00000000,
     0x08020820, 0x00020800, 0x00020800, 0x00000820, 0x00000820, 0x00020020, 0x08000000, 0x08020800}};

/* The bits of `value` (of `width` bits) that `table` names, in its order. */
static uint64_t permute(uint64_t value, int width, const uint8_t *table, int count)
{
    uint64_t result = 0;
    for (int i = 0; i < count; i++)
        result = (result << 1) | ((value >> (width - table[i])) & 1);
    return result;
}

static uint32_t rotate_left_28(uint32_t half, int by)
{
    return ((half << by) | (half >> (28 - by))) & 0xfffffff;
}

static uint32_t rotate_left_32(uint32_t word, int by)
{
    return word << (by & 31) | word >> (-by & 31);
}

/* The cipher function f: the expansion E is eight overlapping six-bit windows on `right`. */
static uint32_t feistel(uint32_t right, uint64_t round_key)
{
    uint32_t result = 0;
    for (int i = 0; i < 8; i++) {
        uint32_t window = rotate_left_32(right, 4 * i + 5) & 0x3f;
        uint32_t key = (round_key >> (42 - 6 * i)) & 0x3f;
        result |= sp_box[i][window ^ key];
    }
    return result;
}

static uint64_t des_block(uint64_t block, const uint64_t round_keys[DES_ROUNDS], int decrypt)
{
    uint64_t permuted = permute(block, 64, initial_permutation, 64);
    uint32_t left = permuted >> 32;
    uint32_t right = (uint32_t)permuted;
    for (int round = 0; round < DES_ROUNDS; round++) {
        uint64_t key = round_keys[decrypt ? DES_ROUNDS - 1 - round : round];
        uint32_t next = left ^ feistel(right, key);
        left = right;
        right = next;
    }
    return permute((uint64_t)right << 32 | left, 64, final_permutation, 64);
}

void des_key_schedule(const uint8_t key[8], uint64_t round_keys[DES_ROUNDS])
{
    uint64_t chosen = permute(des_load_block(key), 64, permuted_choice_1, 56);
    uint32_t c = chosen >> 28;
    uint32_t d = chosen & 0xfffffff;
    for (int round = 0; round < DES_ROUNDS; round++) {
        c = rotate_left_28(c, left_shifts[round]);
        d = rotate_left_28(d, left_shifts[round]);
        round_keys[round] = permute((uint64_t)c << 28 | d, 56, permuted_choice_2, 48);
    }
}

uint64_t des_encrypt_block(uint64_t block, const uint64_t round_keys[DES_ROUNDS])
{
    return des_block(block, round_keys, 0);
}

uint64_t des_decrypt_block(uint64_t block, const uint64_t round_keys[DES_ROUNDS])
{
    return des_block(block, round_keys, 1);
}

uint64_t des_load_block(const uint8_t bytes[8])
{
    uint64_t block = 0;
    for (int i = 0; i < 8; i++)
        block = block << 8 | bytes[i];
    return block;
}

void des_store_block(uint8_t bytes[8], uint64_t block)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = block >> (56 - 8 * i);
}

void des_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8])
{
    uint64_t round_keys[DES_ROUNDS];
    des_key_schedule(key, round_keys);
    for (size_t i = 0; i < blocks; i++)
        des_store_block(out + 8 * i, des_encrypt_block(des_load_block(in + 8 * i), round_keys));
}

void des_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8])
{
    uint64_t round_keys[DES_ROUNDS];
    des_key_schedule(key, round_keys);
    for (size_t i = 0; i < blocks; i++)
        des_store_block(out + 8 * i, des_decrypt_block(des_load_block(in + 8 * i), round_keys));
}

void des_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8],
                     const uint8_t iv[8])
{
    uint64_t round_keys[DES_ROUNDS], previous = des_load_block(iv);
    des_key_schedule(key, round_keys);
#pragma tandem pipeline
    for (size_t i = 0; i < blocks; i++) {
        previous = des_encrypt_block(des_load_block(in + 8 * i) ^ previous, round_keys);
        des_store_block(out + 8 * i, previous);
    }
}

void des_cbc_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8],
                     const uint8_t iv[8])
{
    uint64_t round_keys[DES_ROUNDS], previous = des_load_block(iv);
    des_key_schedule(key, round_keys);
    for (size_t i = 0; i < blocks; i++) {
        uint64_t block = des_load_block(in + 8 * i);
        des_store_block(out + 8 * i, des_decrypt_block(block, round_keys) ^ previous);
        previous = block;
    }
}
