/* SPDX-License-Identifier: Apache-2.0 */
/* the first sixteen rounds in a loop of their own */
#include <string.h>
#include "../../programs/standards/sha256_constants.h"
#define ROTATED(x, n) ((x) >> (n) | (x) << (32 - (n)))

static void round_of(uint32_t s[8], uint32_t k, uint32_t w)
{
    uint32_t t = s[7] + (ROTATED(s[4], 6) ^ ROTATED(s[4], 11) ^ ROTATED(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6]))
                 + k + w;
    uint32_t u = (ROTATED(s[0], 2) ^ ROTATED(s[0], 13) ^ ROTATED(s[0], 22))
                 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t;
    s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t + u;
}

void sha256_block(uint32_t state[8], const uint32_t block[16])
{
    uint32_t w[64], s[8];
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 16; i++) {
        w[i] = block[i];
        round_of(s, sha256_constants[i], w[i]);
    }
    for (int i = 16; i < 64; i++) {
        w[i] = w[i - 16] + w[i - 7] + (ROTATED(w[i - 15], 7) ^ ROTATED(w[i - 15], 18) ^ w[i - 15] >> 3)
               + (ROTATED(w[i - 2], 17) ^ ROTATED(w[i - 2], 19) ^ w[i - 2] >> 10);
        round_of(s, sha256_constants[i], w[i]);
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void call(const void *in, void *out)
{
    memcpy(out, in, 32);
    sha256_block(out, (const uint32_t *)in + 8);
}
