/* SPDX-License-Identifier: Apache-2.0
 * Triple DES (TDEA), FIPS 46-3: encrypt, decrypt, encrypt, under three keys. Two-key TDEA repeats
 * the first key as the third. Buffers hold `blocks` blocks of 8 bytes; in and out are the same
 * buffer or do not overlap. */
#ifndef DES3_H
#define DES3_H

#include <stddef.h>
#include <stdint.h>

/* Electronic codebook. */
void des3_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24]);
void des3_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24]);

/* The same with a two-key bundle of 16 bytes. */
void des3_encrypt_2key(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16]);
void des3_decrypt_2key(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16]);

/* Cipher block chaining: a block is combined with the ciphertext before it. Encrypted, it waits for
 * that; decrypted, it does not. */
void des3_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24],
                      const uint8_t iv[8]);
void des3_cbc_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24],
                      const uint8_t iv[8]);

#endif
