/* SPDX-License-Identifier: Apache-2.0 */
/* the state is an array that is moved by a loop */
#include <string.h>
#include "../../programs/standards/sha256_constants.h"
#define ROTATED(x, n) ((x) >> (n) | (x) << (32 - (n)))

void sha256_block(uint32_t state[8], const uint32_t block[16])
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 64; i++) {
        if (i < 16) {
            w[i] = block[i];
            continue;
        }
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (ROTATED(x, 7) ^ ROTATED(x, 18) ^ x >> 3)
               + (ROTATED(y, 17) ^ ROTATED(y, 19) ^ y >> 10);
    }
    for (int i = 0; i < 8; i++)
        s[i] = state[i];
    for (int i = 0; i < 64; i++) {
        uint32_t t = s[7] + (ROTATED(s[4], 6) ^ ROTATED(s[4], 11) ^ ROTATED(s[4], 25))
                     + ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_constants[i] + w[i];
        uint32_t u = (ROTATED(s[0], 2) ^ ROTATED(s[0], 13) ^ ROTATED(s[0], 22))
                     + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void call(const void *in, void *out)
{
    memcpy(out, in, 32);
    sha256_block(out, (const uint32_t *)in + 8);
}
