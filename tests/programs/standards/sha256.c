// SPDX-License-Identifier: Apache-2.0
// offload: sha256_blocks
// SHA-256, FIPS 180-4: the compression of one block after another; its examples, and 960 bytes.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sha256_constants.h"

static uint32_t ror(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

void sha256_blocks(uint32_t state[8], const uint8_t *data, uint32_t blocks)
{
    for (uint32_t block = 0; block < blocks; block++, data += 64) {
        uint32_t w[16], s[8];
        for (int i = 0; i < 16; i++)
            w[i] = (uint32_t)data[4 * i] << 24 | (uint32_t)data[4 * i + 1] << 16 |
                   (uint32_t)data[4 * i + 2] << 8 | data[4 * i + 3];
        for (int i = 0; i < 8; i++)
            s[i] = state[i];
        for (int t = 0; t < 64; t++) {
            uint32_t a = s[0], e = s[4], x = w[1], y = w[14];
            uint32_t choice = (e & s[5]) ^ (~e & s[6]);
            uint32_t majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
            uint32_t t1 = s[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + choice +
                          sha256_constants[t] + w[0];
            uint32_t t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + majority;
            uint32_t next = w[0] + (ror(x, 7) ^ ror(x, 18) ^ x >> 3) + w[9] +
                            (ror(y, 17) ^ ror(y, 19) ^ y >> 10);
            for (int i = 0; i < 15; i++)
                w[i] = w[i + 1];
            w[15] = next;
            for (int i = 7; i > 0; i--)
                s[i] = s[i - 1];
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++)
            state[i] += s[i];
    }
}

static int check(const char *message, size_t size, const char *wanted)
{
    static uint8_t padded[1024];
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t blocks = (size + 8) / 64 + 1;
    char found[65];
    memset(padded, 0, sizeof padded);
    memcpy(padded, message, size);
    padded[size] = 0x80;
    for (int i = 0; i < 8; i++)
        padded[64 * blocks - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    sha256_blocks(state, padded, (uint32_t)blocks);
    for (int i = 0; i < 8; i++)
        snprintf(found + 8 * i, 9, "%08x", (unsigned)state[i]);
    if (strcmp(found, wanted) == 0)
        return 0;
    printf("%zu bytes: %s, not %s\n", size, found, wanted);
    return 1;
}

int main(void)
{
    char many[960];
    memset(many, 'a', sizeof many);
    int wrong = check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    wrong += check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    wrong += check(many, sizeof many, 
                   "798bf64574294ea9d2160a56a3fad85f3c544d952edbba9a6310a8889ae6dd24");
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
