/* SPDX-License-Identifier: Apache-2.0
 * AES (FIPS 197) with keys of 128, 192 and 256 bits: a block of 16 bytes under a key of 16, 24 or 32.
 *
 * Of one block, round keys are computed beside the rounds, so that hardware takes a round a cycle and
 * keeps no schedule. Of many, the schedule comes first, and hardware takes a block a cycle. */
#ifndef AES_H
#define AES_H

#include <stddef.h>
#include <stdint.h>

/* One block. `cipher` may be `plain` or `key`, or overlaps neither. */
void aes128_encrypt(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16]);
void aes192_encrypt(const uint8_t key[24], const uint8_t plain[16], uint8_t cipher[16]);
void aes256_encrypt(const uint8_t key[32], const uint8_t plain[16], uint8_t cipher[16]);

/* The other way, from the end of the key schedule to its beginning: `last` is its last 4, 6 or 8
 * words, which the functions below make of a key. */
void aes128_decrypt(const uint8_t last[16], const uint8_t cipher[16], uint8_t plain[16]);
void aes192_decrypt(const uint8_t last[24], const uint8_t cipher[16], uint8_t plain[16]);
void aes256_decrypt(const uint8_t last[32], const uint8_t cipher[16], uint8_t plain[16]);

void aes128_last_keys(const uint8_t key[16], uint8_t last[16]);
void aes192_last_keys(const uint8_t key[24], uint8_t last[24]);
void aes256_last_keys(const uint8_t key[32], uint8_t last[32]);

/* Electronic codebook (SP 800-38A, 6.1): `blocks` blocks of 16 bytes. Buffers are the same or do not
 * overlap, here and below. */
void aes128_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16]);
void aes192_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24]);
void aes256_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[32]);

void aes128_ecb_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16]);
void aes192_ecb_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24]);
void aes256_ecb_decrypt(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[32]);

/* Counter (SP 800-38A, 6.5), the same both ways: block i is added to the encrypted `counter` + i, a
 * number of 128 bits, its first byte highest. */
void aes128_ctr(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16],
                const uint8_t counter[16]);
void aes192_ctr(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[24],
                const uint8_t counter[16]);
void aes256_ctr(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[32],
                const uint8_t counter[16]);

#endif
