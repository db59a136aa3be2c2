// SPDX-License-Identifier: Apache-2.0
// offload: sha1
/* SHA-1 (FIPS 180-4) of a byte message of any length, padding done inside the kernel. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rol(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static void compress(uint32_t h[5], const uint8_t block[64])
{
    uint32_t w[80];
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 80; t++)
        w[t] = rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < 80; t++) {
        uint32_t f, k;
        if (t < 20) {
            f = (b & c) | (~b & d);
            k = 0x5a827999;
        } else if (t < 40) {
            f = b ^ c ^ d;
            k = 0x6ed9eba1;
        } else if (t < 60) {
            f = (b & c) | (b & d) | (c & d);
            k = 0x8f1bbcdc;
        } else {
            f = b ^ c ^ d;
            k = 0xca62c1d6;
        }
        uint32_t tmp = rol(a, 5) + f + e + k + w[t];
        e = d;
        d = c;
        c = rol(b, 30);
        b = a;
        a = tmp;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

void sha1(const uint8_t *msg, uint32_t len, uint8_t digest[20])
{
    uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    uint8_t block[64];
    uint32_t pos = 0;
    int ended = 0;                      /* 0x80 marker already placed */

    for (;;) {
        int n = 0;
        while (n < 64 && pos < len)
            block[n++] = msg[pos++];
        if (n == 64) {
            compress(h, block);
            continue;
        }
        if (!ended) {
            block[n++] = 0x80;
            ended = 1;
        }
        int room = n <= 56;
        while (n < 64)
            block[n++] = 0;
        if (room) {
            uint64_t bits = (uint64_t)len * 8;
            for (int i = 0; i < 8; i++)
                block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
            compress(h, block);
            break;
        }
        compress(h, block);
    }
    for (int i = 0; i < 20; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

static int check(const char *name, const uint8_t *d, const char *want)
{
    char hex[41];
    for (int i = 0; i < 20; i++)
        snprintf(hex + 2 * i, 3, "%02x", d[i]);
    if (strcmp(hex, want) == 0)
        return 0;
    printf("%s: got %s want %s\n", name, hex, want);
    return 1;
}

int main(void)
{
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t buf[1024], digest[20];
    uint32_t seed = 42;
    int bad = 0;

    memcpy(buf, "abc", 3);
    sha1(buf, 3, digest);
    bad |= check("abc", digest, "a9993e364706816aba3e25717850c26c9cd0d89d");
    memcpy(buf, two, 56);
    sha1(buf, 56, digest);
    bad |= check("448 bits", digest, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    for (int i = 0; i < 1024; i++) {
        seed = seed * 1664525u + 1013904223u;
        buf[i] = (uint8_t)(seed >> 24);
    }
    sha1(buf, 1024, digest);
    bad |= check("1 kB", digest, "30f11144202958b2928d95107226f78969f48b57");
    if (!bad)
        printf("ok\n");
    return bad;
}
