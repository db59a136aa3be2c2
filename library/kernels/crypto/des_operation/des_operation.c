/* SPDX-License-Identifier: Apache-2.0 */
#include "des_operation.h"

#include "../des/des.h"

/* Keys of the examples of NIST Special Publication 800-17 and of FIPS 81. */
static const uint64_t keys[DES_KEYS] = {
    UINT64_C(0x0123456789abcdef), UINT64_C(0x7ca110454a1a6e57), UINT64_C(0x0131d9619dc1376e),
    UINT64_C(0x07a1133e4a0b2686), UINT64_C(0x3849674c2602319e), UINT64_C(0x04b915ba43feb5b6),
    UINT64_C(0x0113b970fd34f2ce), UINT64_C(0x0170f175468fb5e6)};

uint64_t des_table_key(uint32_t index)
{
    return keys[index];
}

int des_operation(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t key, uint32_t direction,
                  uint64_t initial)
{
    uint8_t key_bytes[8];
    uint64_t round_keys[DES_ROUNDS], before = initial;
    if (key >= DES_KEYS)
        return -1;
    des_store_block(key_bytes, keys[key]);
    des_key_schedule(key_bytes, round_keys);
    for (uint32_t i = 0; i < bytes / 8; i++) {
        uint64_t block = des_load_block(in + 8 * i), result;
        if (direction == DES_ENCRYPT) {
            before = result = des_encrypt_block(block ^ before, round_keys);
        } else {
            result = des_decrypt_block(block, round_keys) ^ before;
            before = block;
        }
        des_store_block(out + 8 * i, result);
    }
    return 0;
}
