/* SPDX-License-Identifier: Apache-2.0
 * PRESENT (A. Bogdanov et al., "PRESENT: An Ultra-Lightweight Block Cipher", CHES 2007): blocks of 8
 * bytes under a key of 80 or 128 bits, each with its first byte highest. Of one block, round keys are
 * computed beside the rounds, and `cipher` may be `plain` or `key`, or overlaps neither. */
#ifndef PRESENT_H
#define PRESENT_H

#include <stddef.h>
#include <stdint.h>

/* The layers as they are defined, nibble by nibble and bit by bit: for hardware, where both are
 * wiring. */
void present80_encrypt(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);
void present128_encrypt(const uint8_t key[16], const uint8_t plain[8], uint8_t cipher[8]);

/* Electronic codebook (SP 800-38A, 6.1): `blocks` blocks from in to out, which are the same buffer or
 * do not overlap. */
void present80_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[10]);
void present128_ecb(const uint8_t *in, uint8_t *out, size_t blocks, const uint8_t key[16]);

/* Software. The same C, in which the loop over 64 bits takes most of the time; */
void present80_encrypt_bits(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);
/* the four bits of a nibble moved at once; */
void present80_encrypt_nibbles(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);
/* both layers of a byte from a table of 1 KiB, in 32-bit words: the fastest. */
void present80_encrypt_table(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);

#endif
