/* SPDX-License-Identifier: Apache-2.0
 * The rounds in a loop, two at a time. */
#include <stdio.h>

#include "boxes.h"

static const uint32_t boxes[8][64] = {{BOX_0}, {BOX_1}, {BOX_2}, {BOX_3},
                                      {BOX_4}, {BOX_5}, {BOX_6}, {BOX_7}};

#define ROUND(to, from, key)                      \
    do {                                          \
        work = (from >> 4 | from << 28) ^ key[0]; \
        to ^= boxes[0][work >> 24 & 63];          \
        to ^= boxes[2][work >> 16 & 63];          \
        to ^= boxes[4][work >> 8 & 63];           \
        to ^= boxes[6][work & 63];                \
        work = from ^ key[1];                     \
        to ^= boxes[1][work >> 24 & 63];          \
        to ^= boxes[3][work >> 16 & 63];          \
        to ^= boxes[5][work >> 8 & 63];           \
        to ^= boxes[7][work & 63];                \
    } while (0)

void des(const uint8_t *in, uint8_t *out, int blocks, const uint32_t keys[16][2])
{
    for (int n = 0; n < blocks; n++) {
        uint32_t left, right, work;
        left = (uint32_t)in[8 * n] << 24 | (uint32_t)in[8 * n + 1] << 16 |
               (uint32_t)in[8 * n + 2] << 8 | in[8 * n + 3];
        right = (uint32_t)in[8 * n + 4] << 24 | (uint32_t)in[8 * n + 5] << 16 |
                (uint32_t)in[8 * n + 6] << 8 | in[8 * n + 7];

        BEGIN(left, right);
        for (int i = 0; i < 16; i++) {
            ROUND(left, right, keys[i]);
            i++;
            ROUND(right, left, keys[i]);
        }
        FINISH(left, right);

        out[8 * n] = (uint8_t)(right >> 24);
        out[8 * n + 1] = (uint8_t)(right >> 16);
        out[8 * n + 2] = (uint8_t)(right >> 8);
        out[8 * n + 3] = (uint8_t)right;
        out[8 * n + 4] = (uint8_t)(left >> 24);
        out[8 * n + 5] = (uint8_t)(left >> 16);
        out[8 * n + 6] = (uint8_t)(left >> 8);
        out[8 * n + 7] = (uint8_t)left;
    }
}

/* 64 blocks. */
int main(void)
{
    static uint8_t in[512], out[512];
    static uint32_t keys[16][2];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 512; i++)
        in[i] = (uint8_t)(i * 7);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t even = (i * 5 + 1) * 0x01020304u & 0x3f3f3f3f;
        uint32_t odd = (i * 7 + 2) * 0x03010402u & 0x3f3f3f3f;
        keys[i][0] = even;
        keys[i][1] = odd;
    }
    des(in, out, 64, (const uint32_t (*)[2])keys);
    for (int i = 0; i < 512; i++)
        sum = sum * 31 + out[i];
    printf("%u\n", sum);
    return 0;
}
