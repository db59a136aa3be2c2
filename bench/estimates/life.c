// SPDX-License-Identifier: Apache-2.0
// offload: life
/* A generation of Conway's game, of rows of 32 bits, all of a row's bits at once. */
#include <stdint.h>
#define H 64

static uint32_t left(uint32_t a) { return a << 1 | a >> 31; }
static uint32_t right(uint32_t a) { return a >> 1 | a << 31; }

void life(const uint32_t in[H], uint32_t out[H])
{
    for (int y = 0; y < H; y++) {
        uint32_t rows[3] = {in[(y + H - 1) % H], in[y], in[(y + 1) % H]};
        uint32_t one = 0, two = 0, four = 0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                if (r == 1 && c == 1)
                    continue;
                uint32_t bit = c == 0 ? left(rows[r]) : c == 1 ? rows[r] : right(rows[r]);
                uint32_t carry = one & bit;
                one ^= bit;
                four |= two & carry;
                two ^= carry;
            }
        out[y] = two & ~four & (one | rows[1]);
    }
}
