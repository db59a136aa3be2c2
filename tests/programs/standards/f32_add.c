// SPDX-License-Identifier: Apache-2.0
// offload: f32_add
// The sum of two binary32 numbers on their bit patterns (IEEE 754), to the nearest, ties to even;
// every NaN is 0x7fc00000. Against the processor's own.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t sum(uint32_t a, uint32_t b)
{
    if ((a & 0x7fffffff) < (b & 0x7fffffff)) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    int ea = a >> 23 & 255, eb = b >> 23 & 255;
    uint32_t sign = a & 0x80000000, ma = (a & 0x7fffff) << 3, mb = (b & 0x7fffff) << 3;
    if (ea == 255)
        return ma || (eb == 255 && (a ^ b)) ? 0x7fc00000 : a;
    ma |= ea ? 1 << 26 : 0;
    mb |= eb ? 1 << 26 : 0;
    int distance = (ea ? ea : 1) - (eb ? eb : 1);
    mb = distance > 26 ? mb != 0 : mb >> distance | ((mb & ((1u << distance) - 1)) != 0);
    int e = ea ? ea : 1;
    uint32_t m = (a ^ b) >> 31 ? ma - mb : ma + mb;
    if (m == 0)
        return a & b & 0x80000000;
    if (m >> 27) {
        m = m >> 1 | (m & 1);
        e++;
    }
    while (!(m >> 26) && e > 1) {
        m <<= 1;
        e--;
    }
    uint32_t bits = (uint32_t)(m >> 26 ? e : 0) << 23 | (m >> 3 & 0x7fffff);
    bits += (m & 4) && ((m & 3) || (m & 8));
    return sign | (bits >= 0x7f800000 || e >= 255 ? 0x7f800000 : bits);
}

void f32_add(const uint32_t *a, const uint32_t *b, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = sum(a[i], b[i]);
}

static uint32_t processors(uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    float z = x + y;
    memcpy(&a, &z, 4);
    return z != z ? 0x7fc00000 : a;
}

int main(void)
{
    enum { SPECIAL = 12, N = 600 };
    static const uint32_t special[SPECIAL] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                              0x7fc00000, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff};
    static uint32_t a[N], b[N], out[N];
    uint32_t seed = 17;
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = i < 144 ? special[i / 12] : seed;
        seed = seed * 1664525u + 1013904223u;
        b[i] = i < 144 ? special[i % 12] : i % 3 ? (seed & 0x807fffff) | (a[i] & 0x7f800000) : seed;
        b[i] ^= i >= 144 && i % 4 == 0 ? 0x02000000 : 0;
    }
    f32_add(a, b, out, N);
    for (int i = 0; i < N; i++)
        if (out[i] != processors(a[i], b[i])) {
            printf("%08x + %08x: %08x\n", (unsigned)a[i], (unsigned)b[i], (unsigned)out[i]);
            wrong++;
        }
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
