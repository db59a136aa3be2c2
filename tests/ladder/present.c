/* SPDX-License-Identifier: Apache-2.0
 * PRESENT-80 (Bogdanov et al., CHES 2007) bit by bit, with the key schedule beside the rounds. */
#include <stdint.h>
#define ROUNDS 31

static const uint8_t box[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};

static uint64_t substituted(uint64_t state)
{
    uint64_t result = 0;
    for (int i = 0; i < 16; i++)
        result |= (uint64_t)box[state >> 4 * i & 15] << 4 * i;
    return result;
}

static uint64_t permuted(uint64_t state)
{
    uint64_t result = 0;
    for (int i = 0; i < 64; i++)
        result |= (state >> i & 1) << (i == 63 ? 63 : 16 * i % 63);
    return result;
}

/* `high` and `low`: bits 79 to 16 and 15 to 0 of the key. */
void present(const uint64_t *in, uint64_t *out, int blocks, uint64_t high, uint16_t low)
{
    for (int n = 0; n < blocks; n++) {
        uint64_t state = in[n], top = high, turned;
        uint16_t rest = low;
        for (int round = 1; round <= ROUNDS; round++) {
            state = permuted(substituted(state ^ top));
            turned = top << 61 | (uint64_t)rest << 45 | top >> 19;
            rest = top >> 3;
            top = (turned & 0x0fffffffffffffff) | (uint64_t)box[turned >> 60] << 60;
            top ^= round >> 1;
            rest ^= round << 15;
        }
        out[n] = state ^ top;
    }
}
