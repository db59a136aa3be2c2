// SPDX-License-Identifier: Apache-2.0
// offload: chacha
/* The block function of ChaCha20, whose rounds are a loop. */
#include <stdint.h>
#define ROTATED(a, n) ((a) << (n) | (a) >> (32 - (n)))
#define QUARTER(a, b, c, d) \
    (a += b, d = ROTATED(d ^ a, 16), c += d, b = ROTATED(b ^ c, 12), a += b, d = ROTATED(d ^ a, 8), c += d, b = ROTATED(b ^ c, 7))

void chacha(const uint32_t in[16], uint32_t out[16])
{
    uint32_t x[16];
    for (int i = 0; i < 16; i++)
        x[i] = in[i];
    for (int i = 0; i < 10; i++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < 16; i++)
        out[i] = x[i] + in[i];
}
