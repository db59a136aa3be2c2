// SPDX-License-Identifier: Apache-2.0
// offload: xtea_encrypt
// XTEA, 32 cycles; against deciphering, and the known answer of a key of 00 01 02 .. 0f.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void xtea_encrypt(uint32_t *v, size_t blocks, const uint32_t key[4])
{
    for (size_t b = 0; b < blocks; b++) {
        uint32_t v0 = v[2 * b], v1 = v[2 * b + 1], sum = 0;
        for (int i = 0; i < 32; i++) {
            v0 += ((v1 << 4 ^ v1 >> 5) + v1) ^ (sum + key[sum & 3]);
            sum += 0x9e3779b9;
            v1 += ((v0 << 4 ^ v0 >> 5) + v0) ^ (sum + key[sum >> 11 & 3]);
        }
        v[2 * b] = v0;
        v[2 * b + 1] = v1;
    }
}

static void decrypt(uint32_t v[2], const uint32_t key[4])
{
    for (uint32_t i = 32; i-- > 0;) {
        uint32_t sum = 0x9e3779b9u * (i + 1);
        v[1] -= (((v[0] << 4) ^ (v[0] >> 5)) + v[0]) ^ (sum + key[(sum >> 11) & 3]);
        sum -= 0x9e3779b9u;
        v[0] -= (((v[1] << 4) ^ (v[1] >> 5)) + v[1]) ^ (sum + key[sum & 3]);
    }
}

int main(void)
{
    const uint32_t key[4] = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f};
    uint32_t data[40], plain[40], known[2] = {0x41424344, 0x45464748};
    for (uint32_t i = 0; i < 40; i++)
        plain[i] = data[i] = i * i * 2654435761u;
    xtea_encrypt(known, 1, key);
    xtea_encrypt(data, 20, key);
    printf("%08x%08x %08x\n", known[0], known[1], data[39]);
    for (int i = 0; i < 20; i++)
        decrypt(data + 2 * i, key);
    return memcmp(data, plain, sizeof data) != 0 || known[0] != 0x497df3d0 || known[1] != 0x72612cb5;
}
