/* SPDX-License-Identifier: Apache-2.0
 * The Data Encryption Standard, FIPS 46-3. Bits are numbered as in the standard: bit 1 is the
 * most significant one of its block; a block of 8 bytes is read with its first byte highest. */
#ifndef DES_H
#define DES_H

#include <stddef.h>
#include <stdint.h>

#define DES_ROUNDS 16

/* The sixteen 48-bit round keys of one 8-byte key; its parity bits are ignored. */
void des_key_schedule(const uint8_t key[8], uint64_t round_keys[DES_ROUNDS]);

/* One 64-bit block under the round keys; decrypting applies them in reverse order. */
uint64_t des_encrypt_block(uint64_t block, const uint64_t round_keys[DES_ROUNDS]);
uint64_t des_decrypt_block(uint64_t block, const uint64_t round_keys[DES_ROUNDS]);

/* A block from, and to, its eight bytes. */
uint64_t des_load_block(const uint8_t bytes[8]);
void des_store_block(uint8_t bytes[8], uint64_t block);

/* Electronic codebook (FIPS 81): `blocks` blocks of 8 bytes from in to out. */
void des_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8]);
void des_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8]);

/* Cipher block chaining (FIPS 81): a block is combined with the ciphertext before it. Encrypted, it
 * waits for that; decrypted, it does not. */
void des_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8],
                     const uint8_t iv[8]);
void des_cbc_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[8],
                     const uint8_t iv[8]);

#endif
