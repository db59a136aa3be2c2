/* SPDX-License-Identifier: Apache-2.0
 *
 * DES with a round that is the user's own Verilog: `des_round` is C where the program runs, and the
 * module of des_round.v in hardware, sixteen of them in a row. The application encrypts some blocks
 * and compares them with library/kernels/crypto/des/des.c.
 *
 *     tandem verify examples/macro/main.c --offload encrypt_blocks
 */
#include <stdint.h>
#include <stdio.h>

#include "../../library/kernels/crypto/des/des.h"

#define BLOCKS 1000

static const uint8_t initial_permutation[64] = {
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,
    62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3,
    61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};

static const uint8_t final_permutation[64] = {
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31,
    38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27,
    34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25};

static const uint8_t expansion[48] = {
    32, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9,
    8, 9, 10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
    16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25,
    24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1};

static const uint8_t permutation[32] = {
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
    2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25};

/* The selection functions S1 to S8, four rows each. */
static const uint8_t selection[8][64] = {
    {14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7,
     0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
     4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0,
     15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13},
    {15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10,
     3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
     0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15,
     13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9},
    {10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8,
     13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
     13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7,
     1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12},
    {7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15,
     13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
     10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4,
     3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14},
    {2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9,
     14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
     4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14,
     11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3},
    {12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11,
     10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
     9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6,
     4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13},
    {4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1,
     13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
     1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2,
     6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12},
    {13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7,
     1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
     7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8,
     2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11}};

/* The bits of `value` (of `width` bits) that `table` names, in its order. */
static uint64_t permute(uint64_t value, int width, const uint8_t *table, int count)
{
    uint64_t result = 0;
    for (int i = 0; i < count; i++)
        result = result << 1 | (value >> (width - table[i]) & 1);
    return result;
}

/* The half that a round makes of both, with 48 bits of `key`. */
#pragma tandem macro("des_round.v", latency 2)
static uint32_t des_round(uint32_t left, uint32_t right, uint64_t key)
{
    uint64_t mixed = permute(right, 32, expansion, 48) ^ key;
    uint32_t selected = 0;
    for (int i = 0; i < 8; i++) {
        uint32_t bits = mixed >> (42 - 6 * i) & 63;
        uint32_t row = (bits >> 4 & 2) | (bits & 1);
        selected = selected << 4 | selection[i][16 * row + (bits >> 1 & 15)];
    }
    return left ^ (uint32_t)permute(selected, 32, permutation, 32);
}

void encrypt_blocks(const uint64_t *in, uint64_t *out, uint64_t blocks,
                    const uint64_t keys[DES_ROUNDS])
{
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t block = permute(in[i], 64, initial_permutation, 64);
        uint32_t left = block >> 32, right = (uint32_t)block;
        for (int round = 0; round < DES_ROUNDS; round++) {
            uint32_t next = des_round(left, right, keys[round]);
            left = right;
            right = next;
        }
        out[i] = permute((uint64_t)right << 32 | left, 64, final_permutation, 64);
    }
}

int main(void)
{
    static const uint8_t key[8] = {0x13, 0x34, 0x57, 0x79, 0x9b, 0xbc, 0xdf, 0xf1};
    static uint64_t in[BLOCKS], out[BLOCKS];
    uint64_t keys[DES_ROUNDS];
    des_key_schedule(key, keys);
    for (int i = 0; i < BLOCKS; i++)
        in[i] = 0x0123456789abcdef * (2 * i + 1);
    encrypt_blocks(in, out, BLOCKS, keys);
    int wrong = out[0] != 0x85e813540f0ab405;
    for (int i = 0; i < BLOCKS; i++)
        wrong += out[i] != des_encrypt_block(in[i], keys);
    printf("%d blocks, %d wrong\n", BLOCKS, wrong);
    return wrong != 0;
}
