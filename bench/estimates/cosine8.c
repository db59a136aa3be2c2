// SPDX-License-Identifier: Apache-2.0
// offload: cosine8
/* A cosine transform of blocks of 8 by 8 with whole numbers: rows, then columns. */
#include <stdint.h>

static void eight(int32_t *v, int step)
{
    int32_t a0 = v[0] + v[7 * step], a7 = v[0] - v[7 * step], a1 = v[step] + v[6 * step], a6 = v[step] - v[6 * step];
    int32_t a2 = v[2 * step] + v[5 * step], a5 = v[2 * step] - v[5 * step];
    int32_t a3 = v[3 * step] + v[4 * step], a4 = v[3 * step] - v[4 * step];
    int32_t b0 = a0 + a3, b3 = a0 - a3, b1 = a1 + a2, b2 = a1 - a2;
    v[0] = b0 + b1;
    v[4 * step] = b0 - b1;
    v[2 * step] = (b3 * 1338 + b2 * 554) >> 10;
    v[6 * step] = (b3 * 554 - b2 * 1338) >> 10;
    v[step] = (a7 * 1420 + a6 * 1204 + a5 * 805 + a4 * 283) >> 10;
    v[3 * step] = (a7 * 1204 - a6 * 283 - a5 * 1420 - a4 * 805) >> 10;
    v[5 * step] = (a7 * 805 - a6 * 1420 + a5 * 283 + a4 * 1204) >> 10;
    v[7 * step] = (a7 * 283 - a6 * 805 + a5 * 1204 - a4 * 1420) >> 10;
}

void cosine8(const uint8_t *pixels, int16_t *out, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        int32_t v[64];
        for (int i = 0; i < 64; i++)
            v[i] = pixels[64 * b + i] - 128;
        for (int i = 0; i < 8; i++)
            eight(v + 8 * i, 1);
        for (int i = 0; i < 8; i++)
            eight(v + i, 8);
        for (int i = 0; i < 64; i++)
            out[64 * b + i] = v[i] >> 3;
    }
}
