/* SPDX-License-Identifier: Apache-2.0 */
/* sixteen words of the schedule, made as they are needed */
#include <string.h>
#include "../../programs/standards/sha256_constants.h"

static uint32_t rotated(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

void sha256_block(uint32_t *state, const uint32_t *block)
{
    uint32_t w[16];
    for (int i = 0; i < 16; i++)
        w[i] = block[i];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t t = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (g ^ (e & (f ^ g))) + sha256_constants[i] + w[0];
        uint32_t u = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)));
        uint32_t next = w[0] + w[9] + (rotated(w[1], 7) ^ rotated(w[1], 18) ^ w[1] >> 3)
                        + (rotated(w[14], 17) ^ rotated(w[14], 19) ^ w[14] >> 10);
        for (int k = 0; k < 15; k++)
            w[k] = w[k + 1];
        w[15] = next;
        h = g, g = f, f = e, e = d + t;
        d = c, c = b, b = a, a = t + u;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void call(const void *in, void *out)
{
    memcpy(out, in, 32);
    sha256_block(out, (const uint32_t *)in + 8);
}
