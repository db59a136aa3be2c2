/* SPDX-License-Identifier: Apache-2.0 */
#include "des3.h"
#include "../des/des.h"

typedef struct {
    uint64_t first[DES_ROUNDS];
    uint64_t second[DES_ROUNDS];
    uint64_t third[DES_ROUNDS];
} des3_keys;

static void des3_key_schedule(des3_keys *keys, const uint8_t *first, const uint8_t *second,
                              const uint8_t *third)
{
    des_key_schedule(first, keys->first);
    des_key_schedule(second, keys->second);
    des_key_schedule(third, keys->third);
}

static uint64_t encrypt_block(uint64_t block, const des3_keys *keys)
{
    block = des_encrypt_block(block, keys->first);
    block = des_decrypt_block(block, keys->second);
    return des_encrypt_block(block, keys->third);
}

static uint64_t decrypt_block(uint64_t block, const des3_keys *keys)
{
    block = des_decrypt_block(block, keys->third);
    block = des_encrypt_block(block, keys->second);
    return des_decrypt_block(block, keys->first);
}

void des3_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24])
{
    des3_keys keys;
    des3_key_schedule(&keys, key, key + 8, key + 16);
    for (size_t i = 0; i < blocks; i++)
        des_store_block(out + 8 * i, encrypt_block(des_load_block(in + 8 * i), &keys));
}

void des3_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24])
{
    des3_keys keys;
    des3_key_schedule(&keys, key, key + 8, key + 16);
    for (size_t i = 0; i < blocks; i++)
        des_store_block(out + 8 * i, decrypt_block(des_load_block(in + 8 * i), &keys));
}

void des3_encrypt_2key(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16])
{
    des3_keys keys;
    des3_key_schedule(&keys, key, key + 8, key);
    for (size_t i = 0; i < blocks; i++)
        des_store_block(out + 8 * i, encrypt_block(des_load_block(in + 8 * i), &keys));
}

void des3_decrypt_2key(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16])
{
    des3_keys keys;
    des3_key_schedule(&keys, key, key + 8, key);
    for (size_t i = 0; i < blocks; i++)
        des_store_block(out + 8 * i, decrypt_block(des_load_block(in + 8 * i), &keys));
}

void des3_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24],
                      const uint8_t iv[8])
{
    des3_keys keys;
    des3_key_schedule(&keys, key, key + 8, key + 16);
    uint64_t previous = des_load_block(iv);
#pragma tandem pipeline
    for (size_t i = 0; i < blocks; i++) {
        previous = encrypt_block(des_load_block(in + 8 * i) ^ previous, &keys);
        des_store_block(out + 8 * i, previous);
    }
}

void des3_cbc_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24],
                      const uint8_t iv[8])
{
    des3_keys keys;
    des3_key_schedule(&keys, key, key + 8, key + 16);
    uint64_t previous = des_load_block(iv);
    for (size_t i = 0; i < blocks; i++) {
        uint64_t block = des_load_block(in + 8 * i);
        des_store_block(out + 8 * i, decrypt_block(block, &keys) ^ previous);
        previous = block;
    }
}
