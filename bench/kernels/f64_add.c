// SPDX-License-Identifier: Apache-2.0
// offload: f64_add
/* IEEE 754 binary64 addition on bit patterns, round to nearest even; every NaN result is 0x7ff8000000000000. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define QNAN 0x7ff8000000000000u
#define INF  0x7ff0000000000000u
#define FRAC 0x000fffffffffffffu

static uint64_t shift_right_sticky(uint64_t x, int n)
{
    if (n == 0)
        return x;
    if (n > 63)
        return x != 0;
    return x >> n | ((x << (64 - n)) != 0);
}

/* sig: 53 bits and three rounding bits; bit 55 clear only when exp is 1 (subnormal) */
static uint64_t round_pack(uint64_t sign, int exp, uint64_t sig)
{
    unsigned rnd = sig & 7;
    uint64_t z = sig >> 3;
    z += rnd > 4 || (rnd == 4 && (z & 1));
    z += (uint64_t)(exp - 1) << 52;             /* hidden bit and carries step the exponent */
    return sign | (z >= INF ? INF : z);
}

static uint64_t add(uint64_t a, uint64_t b)
{
    if ((a & ~(1ull << 63)) < (b & ~(1ull << 63))) {    /* larger magnitude first */
        uint64_t t = a;
        a = b;
        b = t;
    }
    uint64_t sign = a & 1ull << 63;
    int subtract = (a ^ b) >> 63 != 0;
    int ea = (int)(a >> 52 & 0x7ff), eb = (int)(b >> 52 & 0x7ff);
    uint64_t fa = (a & FRAC) << 3, fb = (b & FRAC) << 3;

    if (ea == 0x7ff) {
        if (fa || (eb == 0x7ff && (fb || subtract)))
            return QNAN;
        return sign | INF;
    }
    if (ea)
        fa |= 1ull << 55;
    else
        ea = 1;
    if (eb)
        fb |= 1ull << 55;
    else
        eb = 1;
    fb = shift_right_sticky(fb, ea - eb);
    if (!subtract) {
        fa += fb;
        if (fa >> 56) {
            fa = shift_right_sticky(fa, 1);
            ea++;
        }
    } else {
        fa -= fb;
        if (fa == 0)
            return 0;
        while (ea > 1 && !(fa >> 55)) {
            fa <<= 1;
            ea--;
        }
    }
    return round_pack(sign, ea, fa);
}

void f64_add(const uint64_t *a, const uint64_t *b, uint64_t *z, int n)
{
    for (int i = 0; i < n; i++)
        z[i] = add(a[i], b[i]);
}

static uint64_t next64(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s ^ *s >> 29;
}

int main(void)
{
    static const uint64_t special[12] = {
        0, 1ull << 63, INF, INF | 1ull << 63, QNAN, 0x7ff0000000000001, 1, FRAC | 1ull << 63,
        0x0010000000000000, 0x7fefffffffffffff, 0x3ff0000000000000, 0xbff0000000000001,
    };
    enum { N = 400 };
    static uint64_t a[N], b[N], z[N];
    uint64_t seed = 2u;

    for (int i = 0; i < N; i++) {
        a[i] = i < 144 ? special[i / 12] : next64(&seed);
        b[i] = i < 144 ? special[i % 12] : next64(&seed);
        if (i >= 240)                           /* close exponents; then results near the subnormals */
            b[i] = (b[i] & (FRAC | 1ull << 63)) | ((a[i] >> 52 & 0x7ff) ^ (b[i] >> 60 & 3)) << 52;
        if (i >= 320)
            {
            a[i] = (a[i] & (FRAC | 1ull << 63)) | (uint64_t)(i % 4) << 52;
            b[i] = (b[i] & (FRAC | 1ull << 63)) | (uint64_t)(i / 4 % 4) << 52;
        }
    }
    f64_add(a, b, z, N);
    for (int i = 0; i < N; i++) {
        volatile double x, y, r;
        double t;
        uint64_t want;
        memcpy(&t, &a[i], 8);
        x = t;
        memcpy(&t, &b[i], 8);
        y = t;
        r = x + y;
        t = r;
        memcpy(&want, &t, 8);
        if (t != t)
            want = QNAN;
        if (z[i] != want) {
            printf("%d: %016llx + %016llx = %016llx, want %016llx\n", i, (unsigned long long)a[i],
                   (unsigned long long)b[i], (unsigned long long)z[i], (unsigned long long)want);
            return 1;
        }
    }
    printf("ok\n");
    return 0;
}
