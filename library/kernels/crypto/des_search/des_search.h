/* SPDX-License-Identifier: Apache-2.0
 * Exhaustive key search on DES (FIPS 46-3), with the plaintext of one block known. */
#ifndef DES_SEARCH_H
#define DES_SEARCH_H

#include <stdint.h>

/* Keys tried at once: 1 to 32, a power of two. */
#ifndef DES_SEARCH_UNITS
#define DES_SEARCH_UNITS 1
#endif

/* What des_search gives where no key fits: no key has more than 56 bits. */
#define DES_NO_KEY UINT64_MAX

/* The key of `number`, from 0 to 2^56 - 1: its seven-bit groups, the highest first, are the eight
 * bytes of the key without their parity bits, which are 0 here. */
uint64_t des_key_of_number(uint64_t number);

/* The number of the key that fits, or DES_NO_KEY, and how many keys were tried: up to and with the
 * units that were at work when it was found. */
struct des_search_result {
    uint64_t number, tried;
};

/* Tries the keys of the numbers first, first + 1, ... first + count - 1, modulo 2^56, until one
 * encrypts `plaintext` to `ciphertext`. */
struct des_search_result des_search(uint64_t plaintext, uint64_t ciphertext, uint64_t first,
                                    uint64_t count);

#endif
