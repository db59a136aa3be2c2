/* SPDX-License-Identifier: Apache-2.0
 * A pipeline over blocks, in which each round has boxes of its own. */
#include <stdio.h>

#include "boxes.h"

#define BOXES(n)                                            \
    static const uint32_t box0_##n[64] = {BOX_0};           \
    static const uint32_t box1_##n[64] = {BOX_1};           \
    static const uint32_t box2_##n[64] = {BOX_2};           \
    static const uint32_t box3_##n[64] = {BOX_3};           \
    static const uint32_t box4_##n[64] = {BOX_4};           \
    static const uint32_t box5_##n[64] = {BOX_5};           \
    static const uint32_t box6_##n[64] = {BOX_6};           \
    static const uint32_t box7_##n[64] = {BOX_7};           

BOXES(0)
BOXES(1)
BOXES(2)
BOXES(3)
BOXES(4)
BOXES(5)
BOXES(6)
BOXES(7)
BOXES(8)
BOXES(9)
BOXES(10)
BOXES(11)
BOXES(12)
BOXES(13)
BOXES(14)
BOXES(15)

#define ROUND(to, from, key0, key1, n)          \
    do {                                        \
        work = (from >> 4 | from << 28) ^ key0; \
        to ^= box0_##n[work >> 24 & 63];        \
        to ^= box2_##n[work >> 16 & 63];        \
        to ^= box4_##n[work >> 8 & 63];         \
        to ^= box6_##n[work & 63];              \
        work = from ^ key1;                     \
        to ^= box1_##n[work >> 24 & 63];        \
        to ^= box3_##n[work >> 16 & 63];        \
        to ^= box5_##n[work >> 8 & 63];         \
        to ^= box7_##n[work & 63];              \
    } while (0)

void des(const uint32_t *in, uint32_t *out, int blocks, const uint32_t keys0[16],
         const uint32_t keys1[16])
{
    for (int n = 0; n < blocks; n++) {
#pragma CO PIPELINE
        uint32_t left = in[2 * n], right = in[2 * n + 1], work;

        BEGIN(left, right);
        ROUND(left, right, keys0[0], keys1[0], 0);
        ROUND(right, left, keys0[1], keys1[1], 1);
        ROUND(left, right, keys0[2], keys1[2], 2);
        ROUND(right, left, keys0[3], keys1[3], 3);
        ROUND(left, right, keys0[4], keys1[4], 4);
        ROUND(right, left, keys0[5], keys1[5], 5);
        ROUND(left, right, keys0[6], keys1[6], 6);
        ROUND(right, left, keys0[7], keys1[7], 7);
        ROUND(left, right, keys0[8], keys1[8], 8);
        ROUND(right, left, keys0[9], keys1[9], 9);
        ROUND(left, right, keys0[10], keys1[10], 10);
        ROUND(right, left, keys0[11], keys1[11], 11);
        ROUND(left, right, keys0[12], keys1[12], 12);
        ROUND(right, left, keys0[13], keys1[13], 13);
        ROUND(left, right, keys0[14], keys1[14], 14);
        ROUND(right, left, keys0[15], keys1[15], 15);
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
