/* SPDX-License-Identifier: Apache-2.0 */
/* offload: main */
/* Linear prediction of a frame of speech as in GSM 06.10 (4.2.4 to 4.2.7): autocorrelation, reflection
   coefficients by Schur's recursion, log-area ratios, and those coded; in saturating arithmetic. */
#include <stdio.h>

typedef short word;
typedef long longword;

#define LEAST ((word)-32768)
#define MOST ((word)32767)
#define FRAME 160
#define ORDER 8

static word saturated(longword x)
{
    return x < LEAST ? LEAST : x > MOST ? MOST : (word)x;
}

static word sum(word a, word b)
{
    longword s = (longword)a + (longword)b;
    return saturated(s);
}

static word product(word a, word b)
{
    if (a == LEAST && b == LEAST)
        return MOST;
    else
        return (word)(((longword)a * (longword)b + 16384) >> 15);
}

static word magnitude(word a)
{
    return a < 0 ? (a == LEAST ? MOST : -a) : a;
}

static const unsigned char set_bits[16] = {0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4};

/* by how much a number can go up before it overflows 32 bits */
static word room(longword a)
{
    word n = 31;
    if (a < 0)
        a = ~a;
    while (a > 15) {
        a >>= 4;
        n -= 4;
    }
    return n - set_bits[a];
}

static word quotient(word over, word under)
{
    longword a = over, b = under;
    word q = 0;
    int k = 15;

    if (over == 0)
        return 0;
    while (k--) {
        q <<= 1;
        a <<= 1;
        if (a >= b) {
            a -= b;
            q++;
        }
    }
    return q;
}

static void autocorrelation(word s[FRAME], longword sums[ORDER + 1])
{
    word most = 0, shift, *p = s;
    int i, k;

    for (k = 0; k < FRAME; k++) {
        word size = magnitude(s[k]);
        if (size > most)
            most = size;
    }
    shift = most == 0 ? 0 : 4 - room((longword)most << 16);
    if (shift > 0 && shift <= 4) {
        const word factor = 16384 >> (shift - 1);
        for (k = 0; k < FRAME; k++, p++)
            *p = product(*p, factor);
    }
    for (k = 0; k <= ORDER; k++) {
        sums[k] = 0;
        for (i = k; i < FRAME; i++)
            sums[k] += (longword)s[i] * s[i - k];
        sums[k] *= 2;
    }
    if (shift > 0)
        for (k = 0; k < FRAME; k++)
            s[k] *= 1 << shift;
}

static void reflections(longword sums[ORDER + 1], word *r)
{
    word scaled[ORDER + 1], p[ORDER + 1], k[ORDER + 1], up;
    int i, m, n;

    if (sums[0] == 0) {
        for (i = ORDER; i--; *r++ = 0)
            ;
        return;
    }
    up = room(sums[0]);
    for (i = 0; i <= ORDER; i++)
        scaled[i] = (word)((sums[i] * (1L << up)) >> 16);
    for (i = 1; i < ORDER; i++)
        k[i] = scaled[i];
    for (i = 0; i <= ORDER; i++)
        p[i] = scaled[i];

    for (n = 1; n <= ORDER; n++, r++) {
        word size = magnitude(p[1]);
        if (p[0] < size) {
            for (i = n; i <= ORDER; i++)
                *r++ = 0;
            return;
        }
        *r = quotient(size, p[0]);
        if (p[1] > 0)
            *r = -*r;
        if (n == ORDER)
            return;
        p[0] = sum(p[0], product(p[1], *r));
        for (m = 1; m <= ORDER - n; m++) {
            p[m] = sum(p[m + 1], product(k[m], *r));
            k[m] = sum(k[m], product(p[m + 1], *r));
        }
    }
}

static void log_areas(word *r)
{
    int i;
    for (i = 1; i <= ORDER; i++, r++) {
        word a = magnitude(*r);
        if (a < 22118)
            a >>= 1;
        else if (a < 31130)
            a -= 11059;
        else {
            a -= 26112;
            a <<= 2;
        }
        *r = *r < 0 ? -a : a;
    }
}

static const struct coding {
    word a, b, most, least;
} codings[ORDER] = {{20480, 0, 31, -32}, {20480, 0, 31, -32}, {20480, 2048, 15, -16}, {20480, -2560, 15, -16},
    {13964, 94, 7, -8}, {15360, -1792, 7, -8}, {8534, -341, 3, -4}, {9036, -1144, 3, -4}};

static void coded(word lar[])
{
    const struct coding *c = codings;
    word *at = lar;

    for (; c < codings + ORDER; c++, at++) {
        word t = product(c->a, *at);
        t = sum(t, c->b);
        t = sum(t, 256) >> 9;
        *at = t > c->most ? c->most - c->least : t < c->least ? 0 : t - c->least;
    }
}

static void analyse(word *s, word *lar)
{
    longword sums[ORDER + 1];

    autocorrelation(s, sums);
    reflections(sums, lar);
    log_areas(lar);
    coded(lar);
}

static word samples[FRAME], ratios[ORDER];
static const word expected[ORDER] = {19, 33, 17, 11, 10, 5, 5, 2};

int main(void)
{
    int i, wrong = 0, slow = 0;
    unsigned random = 1, check = 0;

    for (i = 0; i < FRAME; i++) {
        random = random * 1664525u + 1013904223u;
        slow += ((int)(random >> 20) - 2048 - slow) / 3;
        samples[i] = slow * 5;
    }
    analyse(samples, ratios);
    for (i = 0; i < ORDER; i++) {
        wrong += ratios[i] != expected[i];
        printf("%d ", ratios[i]);
    }
    for (i = 0; i < FRAME; i++)
        check = check * 31 + samples[i];
    printf("%u %d\n", check, wrong);
    return wrong;
}
