// SPDX-License-Identifier: Apache-2.0
// offload: xtea
/* XTEA of blocks of two words, 32 rounds, one after the other. */
#include <stdint.h>

void xtea(uint32_t *words, const uint32_t key[4], int blocks)
{
    uint32_t k[4] = {key[0], key[1], key[2], key[3]};
    for (int i = 0; i < blocks; i++) {
        uint32_t a = words[2 * i], b = words[2 * i + 1], sum = 0;
        for (int round = 0; round < 32; round++) {
            a += (((b << 4) ^ (b >> 5)) + b) ^ (sum + k[sum & 3]);
            sum += 0x9e3779b9;
            b += (((a << 4) ^ (a >> 5)) + a) ^ (sum + k[sum >> 11 & 3]);
        }
        words[2 * i] = a;
        words[2 * i + 1] = b;
    }
}
