// SPDX-License-Identifier: Apache-2.0
// offload: fft
// A radix-2 transform of 128 points in Q15, halved in each stage: an impulse gives a flat spectrum, a
// tone one line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define POINTS 128
#define BITS 7

/* The first quarter of a sine. */
static const int16_t quarter[POINTS / 4 + 1] = {
    0, 1608, 3212, 4808, 6393, 7962, 9512, 11039, 12540, 14010, 15447,
    16846, 18205, 19520, 20788, 22006, 23170, 24279, 25330, 26320, 27246, 28106,
    28899, 29622, 30274, 30853, 31357, 31786, 32138, 32413, 32610, 32729, 32767,
};

static int16_t sine(int i)
{
    i %= POINTS;
    int j = i % (POINTS / 2);
    int16_t value = quarter[j <= POINTS / 4 ? j : POINTS / 2 - j];
    return (int16_t)(i < POINTS / 2 ? value : -value);
}

void fft(int16_t re[POINTS], int16_t im[POINTS])
{
    for (int i = 0; i < POINTS; i++) {
        int j = 0;
        for (int bit = 0; bit < BITS; bit++)
            j |= (i >> bit & 1) << (BITS - 1 - bit);
        if (j > i) {
            int16_t t = re[i];
            re[i] = re[j];
            re[j] = t;
            t = im[i];
            im[i] = im[j];
            im[j] = t;
        }
    }
    for (int stage = 0; stage < BITS; stage++) {
        int half = 1 << stage;
        for (int n = 0; n < POINTS / 2; n++) {
            int k = n & (half - 1), p = (n - k) * 2 + k, q = p + half;
            int angle = k << (BITS - 1 - stage);
            int wr = sine(angle + POINTS / 4), wi = -sine(angle);
            int tr = (wr * re[q] - wi * im[q]) >> 15, ti = (wr * im[q] + wi * re[q]) >> 15;
            int pr = re[p], pi = im[p];
            re[p] = (int16_t)((pr + tr) >> 1);
            im[p] = (int16_t)((pi + ti) >> 1);
            re[q] = (int16_t)((pr - tr) >> 1);
            im[q] = (int16_t)((pi - ti) >> 1);
        }
    }
}

static int far(int found, int wanted)
{
    return abs(found - wanted) > 8;
}

int main(void)
{
    static int16_t re[POINTS], im[POINTS];
    int wrong = 0;
    re[0] = 128 * 100;
    fft(re, im);
    for (int i = 0; i < POINTS; i++)
        wrong += far(re[i], 100) || far(im[i], 0);
    for (int i = 0; i < POINTS; i++) {
        re[i] = (int16_t)(sine(5 * i + POINTS / 4) / 2);
        im[i] = 0;
    }
    fft(re, im);
    for (int i = 0; i < POINTS; i++)
        wrong += far(re[i], i == 5 || i == POINTS - 5 ? 8192 : 0) || far(im[i], 0);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
