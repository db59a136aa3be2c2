// SPDX-License-Identifier: Apache-2.0
// Blocks of AES, each the cipher of the one before: a kernel in which most registers change in each
// cycle, for `bench/run.py waves`.

#include <stdint.h>
#include <stdio.h>

#include "aes.h"

uint32_t chained(const uint8_t key[16], unsigned blocks)
{
    uint8_t block[16] = {0}, cipher[16];
    for (unsigned i = 0; i < blocks; i++) {
        aes128_encrypt(key, block, cipher);
        for (int k = 0; k < 16; k++)
            block[k] = cipher[k];
    }
    uint32_t sum = 0;
    for (int k = 0; k < 16; k++)
        sum = sum * 31 + block[k];
    return sum;
}

int main(void)
{
    uint8_t key[16];
    for (int i = 0; i < 16; i++)
        key[i] = i * 77;
    printf("%x\n", chained(key, 4000));
    return 0;
}
