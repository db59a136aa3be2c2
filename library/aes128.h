/* SPDX-License-Identifier: Apache-2.0
 * AES with keys of 128 bits (FIPS 197): a block of 16 bytes is encrypted under a key of 16. Round
 * keys are computed beside the rounds. `cipher` may be `plain` or `key`, or overlaps neither. */
#ifndef AES128_H
#define AES128_H

#include <stdint.h>

/* The steps of the standard, in bytes: for hardware. */
void aes128_encrypt(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16]);

/* Four tables of 32-bit words (4 KiB) that are SubBytes and MixColumns in one: for software. */
void aes128_encrypt_table(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16]);

#endif
