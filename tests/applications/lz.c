// SPDX-License-Identifier: Apache-2.0
// offload: lz_compress
// observed: in out
// A block in the LZ4 format, found with one hash table; unpacked again by a decoder of the format.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HASH_BITS 8
#define LAST_LITERALS 12

static uint32_t read32(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static size_t put_length(uint8_t *out, size_t o, size_t length)
{
    for (; length >= 255; length -= 255)
        out[o++] = 255;
    out[o++] = (uint8_t)length;
    return o;
}

static size_t put_sequence(uint8_t *out, size_t o, const uint8_t *literals, size_t count, size_t match)
{
    size_t low = match < 15 ? match : 15;
    out[o++] = (uint8_t)((count < 15 ? count : 15) << 4 | low);
    if (count >= 15)
        o = put_length(out, o, count - 15);
    for (size_t k = 0; k < count; k++)
        out[o++] = literals[k];
    return o;
}

size_t lz_compress(const uint8_t *in, size_t length, uint8_t *out)
{
    uint16_t table[1 << HASH_BITS] = {0};
    size_t i = 0, anchor = 0, o = 0;
    while (i + LAST_LITERALS < length) {
        uint32_t word = read32(in + i);
        uint32_t hash = word * 2654435761u >> (32 - HASH_BITS);
        size_t candidate = table[hash];
        table[hash] = (uint16_t)(i + 1);
        if (candidate == 0 || read32(in + candidate - 1) != word) {
            i++;
            continue;
        }
        size_t start = candidate - 1, match = 4;
        while (i + match + 5 < length && in[start + match] == in[i + match])
            match++;
        o = put_sequence(out, o, in + anchor, i - anchor, match - 4);
        out[o++] = (uint8_t)(i - start);
        out[o++] = (uint8_t)((i - start) >> 8);
        if (match - 4 >= 15)
            o = put_length(out, o, match - 4 - 15);
        i += match;
        anchor = i;
    }
    return put_sequence(out, o, in + anchor, length - anchor, 0);
}

static size_t expand(const uint8_t *p, const uint8_t *end, uint8_t *out)
{
    size_t n = 0;
    while (p < end) {
        unsigned token = *p++;
        size_t literals = token >> 4, match = token & 15;
        if (literals == 15)
            do
                literals += *p;
            while (*p++ == 255);
        memcpy(out + n, p, literals);
        n += literals;
        p += literals;
        if (p >= end)
            break;
        size_t offset = p[0] + 256 * p[1];
        p += 2;
        if (match == 15)
            do
                match += *p;
            while (*p++ == 255);
        for (match += 4; match--; n++)
            out[n] = out[n - offset];
    }
    return n;
}

int main(void)
{
    static uint8_t data[1200], packed[1400], again[1400];
    uint32_t seed = 5, sum = 0;
    for (int i = 0; i < 1200; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (uint8_t)(i % 200 < 150 ? "the quick brown fox jumps over"[i % 30] : (int)(seed >> 24));
    }
    size_t size = lz_compress(data, sizeof data, packed);
    int wrong = expand(packed, packed + size, again) != sizeof data || memcmp(data, again, sizeof data) != 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + packed[i];
    size_t tiny = lz_compress(data, 5, packed);
    wrong += tiny != 6 || size >= 900;
    printf("%zu bytes, %08x, %d wrong\n", size, (unsigned)sum, wrong);
    return wrong != 0;
}
