// SPDX-License-Identifier: Apache-2.0
// offload: aes128_encrypt
/* AES-128 (FIPS-197) ECB encryption of nblocks 16-byte blocks; key schedule inside the kernel. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint8_t sbox[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

static uint8_t xtime(uint8_t x)
{
    return (uint8_t)((x << 1) ^ ((x & 0x80) ? 0x1b : 0));
}

static void expand_key(const uint8_t *key, uint8_t rk[176])
{
    uint8_t rcon = 1;
    for (int i = 0; i < 16; i++)
        rk[i] = key[i];
    for (int i = 16; i < 176; i += 4) {
        uint8_t a = rk[i - 4], b = rk[i - 3], c = rk[i - 2], d = rk[i - 1];
        if (i % 16 == 0) {
            uint8_t t = a;
            a = sbox[b] ^ rcon;
            b = sbox[c];
            c = sbox[d];
            d = sbox[t];
            rcon = xtime(rcon);
        }
        rk[i] = rk[i - 16] ^ a;
        rk[i + 1] = rk[i - 15] ^ b;
        rk[i + 2] = rk[i - 14] ^ c;
        rk[i + 3] = rk[i - 13] ^ d;
    }
}

static void sub_shift(uint8_t s[16])
{
    uint8_t t[16];
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            t[4 * c + r] = sbox[s[4 * ((c + r) & 3) + r]];
    for (int i = 0; i < 16; i++)
        s[i] = t[i];
}

static void mix_columns(uint8_t s[16])
{
    for (int c = 0; c < 16; c += 4) {
        uint8_t a = s[c], b = s[c + 1], d = s[c + 2], e = s[c + 3];
        uint8_t all = a ^ b ^ d ^ e;
        s[c] = a ^ all ^ xtime(a ^ b);
        s[c + 1] = b ^ all ^ xtime(b ^ d);
        s[c + 2] = d ^ all ^ xtime(d ^ e);
        s[c + 3] = e ^ all ^ xtime(e ^ a);
    }
}

void aes128_encrypt(const uint8_t key[16], const uint8_t *in, uint8_t *out, int nblocks)
{
    uint8_t rk[176], s[16];

    expand_key(key, rk);
    for (int blk = 0; blk < nblocks; blk++) {
        for (int i = 0; i < 16; i++)
            s[i] = in[16 * blk + i] ^ rk[i];
        for (int round = 1; ; round++) {
            sub_shift(s);
            if (round == 10)
                break;
            mix_columns(s);
            for (int i = 0; i < 16; i++)
                s[i] ^= rk[16 * round + i];
        }
        for (int i = 0; i < 16; i++)
            out[16 * blk + i] = s[i] ^ rk[160 + i];
    }
}

static void unhex(const char *h, uint8_t *out)
{
    for (unsigned v; *h && sscanf(h, "%2x", &v) == 1; h += 2)
        *out++ = (uint8_t)v;
}

int main(void)
{
    uint8_t key[16], in[128], out[128], want[128];
    uint32_t seed = 1;
    int bad = 0;

    /* FIPS-197 appendix C.1, one block */
    unhex("000102030405060708090a0b0c0d0e0f", key);
    unhex("00112233445566778899aabbccddeeff", in);
    unhex("69c4e0d86a7b0430d8cdb78070b4c55a", want);
    aes128_encrypt(key, in, out, 1);
    if (memcmp(out, want, 16)) {
        printf("FIPS-197 C.1 differs\n");
        bad = 1;
    }
    /* eight blocks: FIPS-197 appendix B, SP 800-38A F.1.1, three LCG blocks */
    unhex("2b7e151628aed2a6abf7158809cf4f3c", key);
    unhex("3243f6a8885a308d313198a2e03707346bc1bee22e409f96e93d7e117393172a"
          "ae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52ef"
          "f69f2445df4f9b17ad2b417be66c3710", in);
    for (int i = 80; i < 128; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (uint8_t)(seed >> 24);
    }
    unhex("3925841d02dc09fbdc118597196a0b323ad77bb40d7a3660a89ecaf32466ef97"
          "f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23881b00e3ed030688"
          "7b0c785e27e8ad3f8223207104725dd4"
          "683cd5a2d61f4a6fa5db791313ae62d0661525f1dfc1efec02e17234eed331b0"
          "9b7518329e5eac1c9136128789ace110", want);
    aes128_encrypt(key, in, out, 8);
    for (int i = 0; i < 128; i++)
        if (out[i] != want[i]) {
            printf("byte %d: got %02x want %02x\n", i, out[i], want[i]);
            bad = 1;
        }
    if (!bad)
        printf("ok\n");
    return bad;
}
