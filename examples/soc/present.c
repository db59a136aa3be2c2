/* SPDX-License-Identifier: Apache-2.0
 *
 * present [COUNT]: encrypts COUNT blocks (100) with PRESENT-80, each under a key of its own, and
 * prints one number for all results. The first block is a known answer of the cipher's paper, which
 * is checked. A processor without a system runs it too: of a C library it needs printf.
 */
#include <stdint.h>
#include <stdio.h>

#include "../../library/kernels/crypto/present/present.h"
#include "blocks.h"

#define KEY_BYTES 10
#ifndef ENCRYPT
#define ENCRYPT present80_encrypt /* or another version of it in the library */
#endif
#define BLOCK_BYTES 8

/* A. Bogdanov et al., CHES 2007, appendix I. */
static const uint8_t known_key[KEY_BYTES] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const uint8_t known_plain[BLOCK_BYTES] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
static const uint8_t known_cipher[BLOCK_BYTES] = {0xe7, 0x2c, 0x46, 0xc0, 0xf5, 0x94, 0x50, 0x49};

/* The checksum of `count` results; *is_right tells whether the first one is the known answer. */
static uint32_t encrypt_blocks(uint32_t count, int *is_right)
{
    uint8_t key[KEY_BYTES], plain[BLOCK_BYTES], cipher[BLOCK_BYTES];
    uint32_t state = 1, checksum = 0;
    copy(key, known_key, KEY_BYTES);
    copy(plain, known_plain, BLOCK_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        ENCRYPT(key, plain, cipher);
        if (i == 0)
            *is_right = is_equal(cipher, known_cipher, BLOCK_BYTES);
        checksum = checksum_of(cipher, BLOCK_BYTES, checksum);
        fill(key, KEY_BYTES, &state);
        fill(plain, BLOCK_BYTES, &state);
    }
    return checksum;
}

int main(int argc, char **argv)
{
    int is_right = 0;
    uint32_t count = count_of(argc, argv);
    if (!count) {
        printf("usage: present [COUNT]   (COUNT: from 1 to 999999999)\n");
        return 2;
    }
    uint32_t checksum = encrypt_blocks(count, &is_right);
    printf("known answer: %s\n", is_right ? "right" : "WRONG");
    printf("%u blocks, checksum %08x\n", (unsigned)count, (unsigned)checksum);
    return is_right ? 0 : 1;
}
