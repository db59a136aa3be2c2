/* SPDX-License-Identifier: Apache-2.0 */
/* state and block in a struct */
#include <string.h>
#include "../../programs/standards/sha256_constants.h"
#define ROTATED(x, n) ((x) >> (n) | (x) << (32 - (n)))
struct hash {
    uint32_t state[8], block[16];
};

void sha256_block(struct hash *hash)
{
    uint32_t w[64], a, b, c, d, e, f, g, h;
    for (int i = 0; i < 16; i++)
        w[i] = hash->block[i];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (ROTATED(w[i - 15], 7) ^ ROTATED(w[i - 15], 18) ^ w[i - 15] >> 3)
               + (ROTATED(w[i - 2], 17) ^ ROTATED(w[i - 2], 19) ^ w[i - 2] >> 10);
    a = hash->state[0], b = hash->state[1], c = hash->state[2], d = hash->state[3];
    e = hash->state[4], f = hash->state[5], g = hash->state[6], h = hash->state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t t = h + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + ((e & f) ^ (~e & g)) + sha256_constants[i] + w[i];
        uint32_t u = (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t;
        d = c, c = b, b = a, a = t + u;
    }
    hash->state[0] += a, hash->state[1] += b, hash->state[2] += c, hash->state[3] += d;
    hash->state[4] += e, hash->state[5] += f, hash->state[6] += g, hash->state[7] += h;
}

void call(const void *in, void *out)
{
    struct hash hash;
    memcpy(&hash, in, sizeof hash);
    sha256_block(&hash);
    memcpy(out, hash.state, 32);
}
