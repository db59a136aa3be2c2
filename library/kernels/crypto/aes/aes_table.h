/* SPDX-License-Identifier: Apache-2.0
 * AES with keys of 128 bits as software and early hardware have it: SubBytes is a table. A block of 16
 * bytes is encrypted under a key of 16; `cipher` may be `plain` or `key`, or overlaps neither. */
#ifndef AES_TABLE_H
#define AES_TABLE_H

#include <stdint.h>

/* The steps of the standard, in bytes. */
void aes128_encrypt_bytes(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16]);

/* Four tables of 32-bit words (4 KiB) that are SubBytes and MixColumns in one: for software. */
void aes128_encrypt_table(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16]);

#endif
