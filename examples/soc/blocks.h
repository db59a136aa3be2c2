/* SPDX-License-Identifier: Apache-2.0
 * What the applications of this folder have in common: how many blocks, what is in them, and one
 * number for all results. It asks nothing of a C library. */
#ifndef SOC_BLOCKS_H
#define SOC_BLOCKS_H

#include <stdint.h>

#define DEFAULT_COUNT 100

/* The number in a command's only argument, DEFAULT_COUNT without one; 0 where it is none. */
static uint32_t count_of(int argc, char **argv)
{
    uint32_t count = 0;
    if (argc < 2)
        return DEFAULT_COUNT;
    for (const char *digit = argv[1]; *digit; digit++) {
        if (argc > 2 || *digit < '0' || *digit > '9' || count > 99999999)
            return 0;
        count = 10 * count + (uint32_t)(*digit - '0');
    }
    return count;
}

/* G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003. */
static uint32_t next_number(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* `size` bytes that depend on all numbers before. */
static void fill(uint8_t *bytes, int size, uint32_t *state)
{
    uint32_t number = 0;
    for (int i = 0; i < size; i++) {
        number = i & 3 ? number >> 8 : next_number(state);
        bytes[i] = (uint8_t)number;
    }
}

static void copy(uint8_t *to, const uint8_t *from, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = from[i];
}

static uint32_t checksum_of(const uint8_t *bytes, int size, uint32_t before)
{
    for (int i = 0; i < size; i++)
        before = (before << 5 | before >> 27) + bytes[i];
    return before;
}

static int is_equal(const uint8_t *a, const uint8_t *b, int size)
{
    for (int i = 0; i < size; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

#endif
