// SPDX-License-Identifier: Apache-2.0
// offload: run_lengths_bits
/* Lengths of runs of equal bits, written as codes of Elias. */
#include <stdint.h>

uint32_t run_lengths_bits(const uint32_t *in, uint32_t words, uint32_t *out)
{
    uint32_t run = 0, last = 0, held = 0, bits = 0, at = 0;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t word = in[i];
        for (int b = 0; b < 32; b++, word >>= 1) {
            if ((word & 1) == last) {
                run++;
                continue;
            }
            last = word & 1;
            uint32_t size = 31 - __builtin_clz(run | 1), code = run << size;
            held |= code << bits;
            bits += 2 * size + 1;
            if (bits >= 32) {
                out[at++] = held;
                bits -= 32;
                held = code >> (2 * size + 1 - bits);
            }
            run = 1;
        }
    }
    out[at++] = held;
    return at;
}
