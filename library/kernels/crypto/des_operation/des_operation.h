/* SPDX-License-Identifier: Apache-2.0
 * Short operations on DES: a message of a few blocks, chained (CBC, FIPS 81), each with its own
 * initial value, direction and key. The keys lie in a table in the device; who calls names them. */
#ifndef DES_OPERATION_H
#define DES_OPERATION_H

#include <stdint.h>

/* Keys in the table. */
#define DES_KEYS 8

enum des_direction { DES_ENCRYPT, DES_DECRYPT };

/* The key of an index below DES_KEYS, its first byte highest. */
uint64_t des_table_key(uint32_t index);

/* `bytes` bytes, a multiple of 8, from in to out under the key of the table that `key` names. Gives
 * 0, or -1 for a key that is not in the table; then out is not written. */
int des_operation(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t key, uint32_t direction,
                  uint64_t initial);

#endif
