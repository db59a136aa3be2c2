/* SPDX-License-Identifier: Apache-2.0
 *
 * main [COUNT]: encrypts COUNT blocks (100) with AES-128, each under a key of its own, and prints
 * one number for all results. The first block is a known answer of the standard, which is checked.
 * A processor without a system runs it too: of a C library it needs printf.
 */
#include <stdint.h>
#include <stdio.h>

#include "../../library/kernels/crypto/aes/aes.h"
#include "../../library/kernels/crypto/aes/aes_table.h"
#include "blocks.h"

#define KEY_BYTES 16
#ifndef ENCRYPT
#define ENCRYPT aes128_encrypt /* or another version of it in the library */
#endif
#define BLOCK_BYTES 16

/* FIPS 197, appendix C.1. */
static const uint8_t known_key[KEY_BYTES] = {
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
    0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f};
static const uint8_t known_plain[BLOCK_BYTES] = {
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
    0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const uint8_t known_cipher[BLOCK_BYTES] = {
    0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
    0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};

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
        printf("usage: main [COUNT]   (COUNT: from 1 to 999999999)\n");
        return 2;
    }
    uint32_t checksum = encrypt_blocks(count, &is_right);
    printf("known answer: %s\n", is_right ? "right" : "WRONG");
    printf("%u blocks, checksum %08x\n", (unsigned)count, (unsigned)checksum);
    return is_right ? 0 : 1;
}
