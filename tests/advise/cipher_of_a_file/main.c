// SPDX-License-Identifier: Apache-2.0
/* A file is written, read and enciphered in blocks of 8 bytes. */
#include <stdint.h>
#include <stdio.h>
#define BLOCKS 100000
static uint32_t plain[2 * BLOCKS], cipher[2 * BLOCKS];
void encipher(const uint32_t *in, uint32_t *out, int blocks, uint32_t key)
{
    for (int i = 0; i < blocks; i++) {
        uint32_t a = in[2 * i], b = in[2 * i + 1], sum = key;
        for (int round = 0; round < 8; round++) {
            a += ((b << 4 ^ b >> 5) + b) ^ sum;
            sum += 0x9e3779b9;
            b += ((a << 4 ^ a >> 5) + a) ^ (sum >> 11 | sum << 21);
        }
        out[2 * i] = a;
        out[2 * i + 1] = b;
    }
}
static uint32_t check(const uint32_t *p, int n)
{
    uint32_t s = 0;
    for (int i = 0; i < n; i++)
        s = s * 31 + p[i];
    return s;
}
int main(void)
{
    FILE *f = tmpfile();
    if (!f)
        return 1;
    for (uint32_t i = 0; i < 2 * BLOCKS; i++)
        fwrite(&i, sizeof i, 1, f);
    rewind(f);
    if (fread(plain, 4, 2 * BLOCKS, f) != 2 * BLOCKS)
        return 1;
    encipher(plain, cipher, BLOCKS, 42);
    printf("%08x\n", check(cipher, 2 * BLOCKS));
    return 0;
}
