/* SPDX-License-Identifier: Apache-2.0
 * encrypt WORDS: encrypts WORDS 8-byte words in memory with triple DES, once. */
#include <stdint.h>
#include <stdlib.h>

#include "../../library/kernels/crypto/des3/des3.h"

int main(int argc, char **argv)
{
    static const uint8_t key[24] = {1, 35, 69, 103, 137, 171, 205, 239, 35, 69, 103, 137,
                                    171, 205, 239, 1, 69, 103, 137, 171, 205, 239, 1, 35};
    size_t words = argc == 2 ? strtoul(argv[1], NULL, 10) : 1024;
    uint8_t *data = calloc(words + 1, 8);
    if (!data)
        return EXIT_FAILURE;
    for (size_t i = 0; i < 8 * words; i++)
        data[i] = i * 37 >> 3;
    des3_encrypt(data, data, words, key);
    free(data);
    return EXIT_SUCCESS;
}
