/* SPDX-License-Identifier: Apache-2.0
 * PRESENT with keys of 80 bits (A. Bogdanov et al., "PRESENT: An Ultra-Lightweight Block Cipher",
 * CHES 2007): a block of 8 bytes is encrypted under a key of 10, both with their first byte highest.
 * Round keys are computed beside the rounds. `cipher` may be `plain` or `key`, or overlaps neither. */
#ifndef PRESENT80_H
#define PRESENT80_H

#include <stdint.h>

/* The layers as they are defined, nibble by nibble and bit by bit: for hardware, where both are
 * wiring. */
void present80_encrypt(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);

/* Software. The same C, in which the loop over 64 bits takes most of the time; */
void present80_encrypt_bits(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);
/* the four bits of a nibble moved at once; */
void present80_encrypt_nibbles(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);
/* both layers of a byte from a table of 1 KiB, in 32-bit words: the fastest. */
void present80_encrypt_table(const uint8_t key[10], const uint8_t plain[8], uint8_t cipher[8]);

#endif
