/* SPDX-License-Identifier: Apache-2.0
 * The rounds one after the other again. */
#include <stdio.h>

#include "boxes.h"

static const uint32_t box0[64] = {BOX_0};
static const uint32_t box1[64] = {BOX_1};
static const uint32_t box2[64] = {BOX_2};
static const uint32_t box3[64] = {BOX_3};
static const uint32_t box4[64] = {BOX_4};
static const uint32_t box5[64] = {BOX_5};
static const uint32_t box6[64] = {BOX_6};
static const uint32_t box7[64] = {BOX_7};

#define ROUND(to, from, key0, key1)             \
    do {                                        \
        work = (from >> 4 | from << 28) ^ key0; \
        to ^= box0[work >> 24 & 63];            \
        to ^= box2[work >> 16 & 63];            \
        to ^= box4[work >> 8 & 63];             \
        to ^= box6[work & 63];                  \
        work = from ^ key1;                     \
        to ^= box1[work >> 24 & 63];            \
        to ^= box3[work >> 16 & 63];            \
        to ^= box5[work >> 8 & 63];             \
        to ^= box7[work & 63];                  \
    } while (0)

void des(const uint32_t *in, uint32_t *out, int blocks, const uint32_t keys0[16],
         const uint32_t keys1[16])
{
    for (int n = 0; n < blocks; n++) {
        uint32_t left = in[2 * n], right = in[2 * n + 1], work;

        BEGIN(left, right);
        ROUND(left, right, keys0[0], keys1[0]);
        ROUND(right, left, keys0[1], keys1[1]);
        ROUND(left, right, keys0[2], keys1[2]);
        ROUND(right, left, keys0[3], keys1[3]);
        ROUND(left, right, keys0[4], keys1[4]);
        ROUND(right, left, keys0[5], keys1[5]);
        ROUND(left, right, keys0[6], keys1[6]);
        ROUND(right, left, keys0[7], keys1[7]);
        ROUND(left, right, keys0[8], keys1[8]);
        ROUND(right, left, keys0[9], keys1[9]);
        ROUND(left, right, keys0[10], keys1[10]);
        ROUND(right, left, keys0[11], keys1[11]);
        ROUND(left, right, keys0[12], keys1[12]);
        ROUND(right, left, keys0[13], keys1[13]);
        ROUND(left, right, keys0[14], keys1[14]);
        ROUND(right, left, keys0[15], keys1[15]);
        FINISH(left, right);

        out[2 * n] = right;
        out[2 * n + 1] = left;
    }
}

/* 64 blocks. */
int main(void)
{
    static uint32_t in[128], out[128];
    static uint32_t keys0[16], keys1[16];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 128; i++)
        in[i] = ((uint32_t)(uint8_t)(i * 28) << 24 | (uint32_t)(uint8_t)(i * 28 + 7) << 16 |
                (uint32_t)(uint8_t)(i * 28 + 14) << 8 | (uint8_t)(i * 28 + 21));
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t even = (i * 5 + 1) * 0x01020304u & 0x3f3f3f3f;
        uint32_t odd = (i * 7 + 2) * 0x03010402u & 0x3f3f3f3f;
        keys0[i] = even;
        keys1[i] = odd;
    }
    des(in, out, 64, keys0, keys1);
    for (int i = 0; i < 512; i++)
        sum = sum * 31 + (out[i / 4] >> (24 - i % 4 * 8) & 255);
    printf("%u\n", sum);
    return 0;
}
