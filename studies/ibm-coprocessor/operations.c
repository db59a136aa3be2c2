/* SPDX-License-Identifier: Apache-2.0
 * operations COUNT BYTES: COUNT short operations on DES, each with its own key of the table, initial
 * value and direction; of BYTES bytes, or with BYTES 0 of 8 to 80, mixed evenly. Then a known
 * answer (NIST SP 800-17, table A.1: variable plaintext). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../library/kernels/crypto/des_operation/des_operation.h"

#define MOST_BYTES 80

static uint32_t random_below(uint32_t bound)
{
    static uint64_t state = 1; /* Knuth's MMIX generator */
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % bound;
}

static int knows_the_answer(void)
{
    static const uint8_t plain[8] = {0x4e, 0x6f, 0x77, 0x20, 0x69, 0x73, 0x20, 0x74};
    static const uint8_t cipher[8] = {0x3f, 0xa4, 0x0e, 0x8a, 0x98, 0x4d, 0x48, 0x15};
    uint8_t out[8];
    return des_operation(plain, out, 8, 0, DES_ENCRYPT, 0) == 0 && memcmp(out, cipher, 8) == 0;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    unsigned bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    uint8_t in[MOST_BYTES], out[MOST_BYTES];
    if (bytes > MOST_BYTES || bytes % 8)
        return EXIT_FAILURE;
    for (unsigned i = 0; i < MOST_BYTES; i++)
        in[i] = random_below(256);
    for (unsigned long i = 1; i < count; i++) {
        unsigned length = bytes ? bytes : 8 * (1 + random_below(MOST_BYTES / 8));
        uint64_t initial = (uint64_t)random_below(1u << 31) << 32 | random_below(1u << 31);
        des_operation(in, out, length, random_below(DES_KEYS), random_below(2), initial);
    }
    puts(knows_the_answer() ? "right" : "wrong");
    return EXIT_SUCCESS;
}
