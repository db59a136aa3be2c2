// SPDX-License-Identifier: Apache-2.0
// offload: siphash
/* SipHash-2-4 of whole words of 64 bits. */
#include <stdint.h>
#define ROTATED(a, n) ((a) << (n) | (a) >> (64 - (n)))

uint64_t siphash(const uint64_t *data, uint32_t n, uint64_t k0, uint64_t k1)
{
    uint64_t a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull;
    uint64_t c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
    for (uint32_t i = 0; i < n + 3; i++) {
        uint64_t m = i < n ? data[i] : i == n ? (uint64_t)(8 * n) << 56 : 0;
        d ^= m;
        if (i == n + 1)
            c ^= 0xff;
        for (int r = 0; r < 2; r++) {
            a += b; b = ROTATED(b, 13) ^ a; a = ROTATED(a, 32);
            c += d; d = ROTATED(d, 16) ^ c;
            a += d; d = ROTATED(d, 21) ^ a;
            c += b; b = ROTATED(b, 17) ^ c; c = ROTATED(c, 32);
        }
        a ^= m;
    }
    return a ^ b ^ c ^ d;
}
