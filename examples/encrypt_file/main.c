/* SPDX-License-Identifier: Apache-2.0
 *
 * encrypt_file IN OUT [KEY_HEX]: encrypts a file with triple DES in electronic-codebook mode, padded
 * as PKCS #7 has it: what `openssl enc -des-ede3 -K KEY_HEX` writes. KEY_HEX is 16 or 24 bytes; two
 * keys are used as first, second, first. Without arguments it encrypts a known message and checks
 * the result.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../library/kernels/crypto/des3/des3.h"

#define BLOCK 8

/* NIST SP 800-67, appendix B.1. */
static const char known_key[] = "0123456789abcdef23456789abcdef01456789abcdef0123";
static const char known_text[] = "The qufck brown fox jump";
static const uint8_t known_result[24] = {0xa8, 0x26, 0xfd, 0x8c, 0xe5, 0x3b, 0x85, 0x5f,
                                         0xcc, 0xe2, 0x1c, 0x81, 0x12, 0x25, 0x6f, 0xe6,
                                         0x68, 0xd5, 0xc0, 0x5d, 0xd9, 0xb6, 0xb9, 0x00};

static int read_key(const char *hex, uint8_t key[24])
{
    size_t bytes = strlen(hex) / 2;
    if (strlen(hex) % 2 || (bytes != 16 && bytes != 24))
        return 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned value;
        if (sscanf(hex + 2 * i, "%2x", &value) != 1)
            return 0;
        key[i] = value;
    }
    if (bytes == 16)
        memcpy(key + 16, key, 8);
    return 1;
}

/* The whole file and its padding; *blocks tells how many blocks that is. */
static uint8_t *read_padded(const char *path, size_t *blocks)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = ftell(file);
    rewind(file);
    *blocks = size / BLOCK + 1;
    uint8_t *data = malloc(*blocks * BLOCK);
    if (data && fread(data, 1, size, file) != size) {
        free(data);
        data = NULL;
    }
    if (data)
        memset(data + size, (int)(*blocks * BLOCK - size), *blocks * BLOCK - size);
    fclose(file);
    return data;
}

static int write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    size_t written = fwrite(data, 1, size, file);
    return (fclose(file) == 0) & (written == size);
}

static int check_known_answer(void)
{
    uint8_t key[24], result[24];
    read_key(known_key, key);
    des3_encrypt((const uint8_t *)known_text, result, sizeof result / BLOCK, key);
    int right = memcmp(result, known_result, sizeof result) == 0;
    puts(right ? "known answer: right" : "known answer: WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    uint8_t key[24];
    if (argc == 1)
        return check_known_answer();
    if (argc < 3 || argc > 4 || !read_key(argc == 4 ? argv[3] : known_key, key)) {
        fprintf(stderr, "usage: encrypt_file IN OUT [KEY_HEX]   (KEY_HEX: 32 or 48 digits)\n");
        return 2;
    }
    size_t blocks;
    uint8_t *data = read_padded(argv[1], &blocks);
    if (!data) {
        fprintf(stderr, "encrypt_file: cannot read %s\n", argv[1]);
        return EXIT_FAILURE;
    }
    des3_encrypt(data, data, blocks, key);
    int written = write_file(argv[2], data, blocks * BLOCK);
    if (!written)
        fprintf(stderr, "encrypt_file: cannot write %s\n", argv[2]);
    free(data);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
