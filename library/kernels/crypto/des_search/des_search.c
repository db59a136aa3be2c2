/* SPDX-License-Identifier: Apache-2.0 */
#include "des_search.h"

#include "../des/des.h"

#define NUMBER_MASK ((UINT64_C(1) << 56) - 1)

uint64_t des_key_of_number(uint64_t number)
{
    uint64_t key = 0;
    for (int i = 0; i < 8; i++)
        key |= (number >> (7 * i) & 0x7f) << (8 * i + 1);
    return key;
}

static int fits(uint64_t plaintext, uint64_t ciphertext, uint64_t number)
{
    uint8_t key[8];
    uint64_t round_keys[DES_ROUNDS];
    des_store_block(key, des_key_of_number(number));
    des_key_schedule(key, round_keys);
    return des_encrypt_block(plaintext, round_keys) == ciphertext;
}

struct des_search_result des_search(uint64_t plaintext, uint64_t ciphertext, uint64_t first,
                                    uint64_t count)
{
    uint64_t match = DES_NO_KEY, tried = 0;
    while (tried < count && match == DES_NO_KEY) {
        match = DES_NO_KEY;
#pragma tandem unroll
        for (uint64_t unit = 0; unit < DES_SEARCH_UNITS; unit++) {
            uint64_t number = (first + tried + unit) & NUMBER_MASK;
            if (fits(plaintext, ciphertext, number) && unit < count - tried)
                match = number;
        }
        tried += DES_SEARCH_UNITS;
    }
    return (struct des_search_result){match, tried < count ? tried : count};
}
