// SPDX-License-Identifier: Apache-2.0
// offload: aes_ctr
// flags: -I include
// sources: src/aes.c
// AES-128 in counter mode: FIPS-197 appendix B and C.1, SP 800-38A F.5.1.
#include <stdio.h>
#include <string.h>

#include <aes.h>

static void read_hex(uint8_t *out, const char *text)
{
    for (unsigned byte; sscanf(text, "%2x", &byte) == 1; text += 2)
        *out++ = (uint8_t)byte;
}

int main(void)
{
    uint8_t key[16], in[64], out[64], wanted[64], counter[16];
    struct aes_ctx ctx;
    int wrong = 0;

    read_hex(key, "000102030405060708090a0b0c0d0e0f");
    read_hex(in, "00112233445566778899aabbccddeeff");
    read_hex(wanted, "69c4e0d86a7b0430d8cdb78070b4c55a");
    aes_init(&ctx, key);
    aes_encrypt_block(&ctx, in, out);
    wrong += memcmp(out, wanted, 16) != 0;

    read_hex(key, "2b7e151628aed2a6abf7158809cf4f3c");
    read_hex(counter, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    read_hex(in, "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                 "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    read_hex(wanted, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                     "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee");
    aes_init(&ctx, key);
    aes_ctr(&ctx, counter, in, out, 4);
    wrong += memcmp(out, wanted, 64) != 0;
    wrong += counter[15] != 0x03 || counter[14] != 0xff;
    for (int i = 0; i < 64; i++)
        printf("%02x", out[i]);
    printf("\n%d wrong\n", wrong);
    return wrong != 0;
}
