// SPDX-License-Identifier: Apache-2.0
// offload: powers
/* Powers modulo a number of 32 bits, by squaring. */
#include <stdint.h>

void powers(const uint32_t *base, const uint32_t *exponent, uint32_t *out, int n, uint32_t modulus)
{
    for (int i = 0; i < n; i++) {
        uint64_t result = 1, square = base[i] % modulus;
        for (uint32_t e = exponent[i]; e; e >>= 1) {
            if (e & 1)
                result = result * square % modulus;
            square = square * square % modulus;
        }
        out[i] = result;
    }
}
