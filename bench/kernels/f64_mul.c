// SPDX-License-Identifier: Apache-2.0
// offload: f64_mul
/* IEEE 754 binary64 multiplication on bit patterns, round to nearest even; NaN results are 0x7ff8000000000000. */
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

/* sig: bit 55 set, three rounding bits at the bottom; any exponent */
static uint64_t round_pack(uint64_t sign, int exp, uint64_t sig)
{
    if (exp > 0x7fe)
        return sign | INF;
    if (exp < 1) {
        sig = shift_right_sticky(sig, 1 - exp);
        exp = 1;
    }
    unsigned rnd = sig & 7;
    uint64_t z = sig >> 3;
    z += rnd > 4 || (rnd == 4 && (z & 1));
    z += (uint64_t)(exp - 1) << 52;
    return sign | (z >= INF ? INF : z);
}

static void normalise(int *exp, uint64_t *frac)
{
    if (*exp) {
        *frac |= 1ull << 52;
        return;
    }
    *exp = 1;
    while (!(*frac >> 52)) {
        *frac <<= 1;
        --*exp;
    }
}

static uint64_t mul64_high_sticky(uint64_t a, uint64_t b)
{
    uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    uint64_t mid = (ll >> 32) + (lh & 0xffffffff) + (hl & 0xffffffff);
    uint64_t low = mid << 32 | (ll & 0xffffffff);
    return (hh + (lh >> 32) + (hl >> 32) + (mid >> 32)) | (low != 0);
}

static uint64_t mul(uint64_t a, uint64_t b)
{
    uint64_t sign = (a ^ b) & 1ull << 63;
    int ea = (int)(a >> 52 & 0x7ff), eb = (int)(b >> 52 & 0x7ff);
    uint64_t fa = a & FRAC, fb = b & FRAC;
    int zero_a = ea == 0 && fa == 0, zero_b = eb == 0 && fb == 0;

    if ((ea == 0x7ff && fa) || (eb == 0x7ff && fb))
        return QNAN;
    if (ea == 0x7ff || eb == 0x7ff)
        return zero_a || zero_b ? QNAN : sign | INF;
    if (zero_a || zero_b)
        return sign;
    normalise(&ea, &fa);
    normalise(&eb, &fb);
    int exp = ea + eb - 1023;
    uint64_t sig = mul64_high_sticky(fa << 11, fb << 7);    /* bit 58 or 59 is the top one */
    if (sig >> 59)
        exp++;
    else
        sig <<= 1;
    return round_pack(sign, exp, shift_right_sticky(sig, 4));
}

void f64_mul(const uint64_t *a, const uint64_t *b, uint64_t *z, int n)
{
    for (int i = 0; i < n; i++)
        z[i] = mul(a[i], b[i]);
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
    uint64_t seed = 3u;

    for (int i = 0; i < N; i++) {
        a[i] = i < 144 ? special[i / 12] : next64(&seed);
        b[i] = i < 144 ? special[i % 12] : next64(&seed);
        if (i >= 240)                           /* close exponents; then results near the subnormals */
            b[i] = (b[i] & (FRAC | 1ull << 63)) | ((a[i] >> 52 & 0x7ff) ^ (b[i] >> 60 & 3)) << 52;
        if (i >= 320)
            {
            a[i] = (a[i] & (FRAC | 1ull << 63)) | (uint64_t)(i * 5 % 900) << 52;
            b[i] = (b[i] & (FRAC | 1ull << 63)) | (uint64_t)(965 + i % 63 - i * 5 % 900) << 52;
        }
    }
    f64_mul(a, b, z, N);
    for (int i = 0; i < N; i++) {
        volatile double x, y, r;
        double t;
        uint64_t want;
        memcpy(&t, &a[i], 8);
        x = t;
        memcpy(&t, &b[i], 8);
        y = t;
        r = x * y;
        t = r;
        memcpy(&want, &t, 8);
        if (t != t)
            want = QNAN;
        if (z[i] != want) {
            printf("%d: %016llx * %016llx = %016llx, want %016llx\n", i, (unsigned long long)a[i],
                   (unsigned long long)b[i], (unsigned long long)z[i], (unsigned long long)want);
            return 1;
        }
    }
    printf("ok\n");
    return 0;
}
