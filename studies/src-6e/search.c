/* SPDX-License-Identifier: Apache-2.0
 * search KEYS [NUMBER]: tries the DES keys of the numbers 0 to KEYS - 1 on one block, once. The key
 * that fits is that of NUMBER; without one, none does. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../library/kernels/crypto/des/des.h"
#include "../../library/kernels/crypto/des_search/des_search.h"

#define PLAINTEXT UINT64_C(0x0123456789abcdef)

static uint64_t encrypted(uint64_t number)
{
    uint8_t key[8];
    uint64_t round_keys[DES_ROUNDS];
    des_store_block(key, des_key_of_number(number));
    des_key_schedule(key, round_keys);
    return des_encrypt_block(PLAINTEXT, round_keys);
}

int main(int argc, char **argv)
{
    uint64_t keys = argc > 1 ? strtoull(argv[1], NULL, 10) : 128000;
    uint64_t planted = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_C(1) << 55;
    struct des_search_result result = des_search(PLAINTEXT, encrypted(planted), 0, keys);
    if (result.number == DES_NO_KEY)
        printf("no key of %" PRIu64 "\n", result.tried);
    else
        printf("key %" PRIu64 " after %" PRIu64 "\n", result.number, result.tried);
    return EXIT_SUCCESS;
}
