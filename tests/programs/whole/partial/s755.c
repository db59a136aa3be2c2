// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const int8_t T1[8] = {((int8_t)0u), ((int8_t)44u), ((int8_t)128u), ((int8_t)7u), ((int8_t)255u), ((int8_t)0u), ((int8_t)1u), ((int8_t)7u)};
static const uint8_t T2[16] = {((uint8_t)3u), ((uint8_t)127u), ((uint8_t)14u), ((uint8_t)128u), ((uint8_t)0u), ((uint8_t)127u), ((uint8_t)1u), ((uint8_t)127u), ((uint8_t)10u), ((uint8_t)127u), ((uint8_t)2u), ((uint8_t)127u), ((uint8_t)128u), ((uint8_t)128u), ((uint8_t)5u), ((uint8_t)2u)};
static int16_t h3(int32_t p4, int16_t p5)
{
    p4 = ((int32_t)(((int32_t)__builtin_clz(((uint32_t)((int32_t)30628u)) | 1u)) >> 6));
    p4 = (((((int16_t)p4) == ((int16_t)157u)) && (!((uint8_t)p4))) ? ((int32_t)(((int32_t)T2[((uint32_t)p4 + 7u) & 15u]) >> 5)) : ((int32_t)T2[15]));
    for (int32_t i6 = 7; i6 > 0; i6--)
    {
        int32_t v7 = ((int32_t)((uint16_t)((uint32_t)((uint16_t)T2[5]) << ((uint32_t)((int8_t)7u) & 15u))));
        p4 = i6;
        v7 = ((int32_t)((uint32_t)p4 | (uint32_t)p4));
    }
    return ((int16_t)__builtin_bswap32((uint32_t)((int16_t)(0u - (uint32_t)((int16_t)p4)))));
}
static uint8_t h8(int32_t p9, int16_t p10)
{
    if ((((int8_t)p9) < ((int8_t)0u))) return ((uint8_t)((int8_t)7u));
    if ((!((!p10) ? ((uint16_t)p9) : ((uint16_t)p9))))
    {
        p10 = ((int16_t)h3(((int32_t)(((int32_t)h3(((int32_t)p10), p10)) / (int32_t)((((int32_t)((((int32_t)p10) / 2) / (int32_t)(-((int32_t)((((int32_t)4u) & 63) + 1))))) & 63) + 1))), ((int16_t)h3(((int32_t)((uint32_t)((int32_t)p10) ^ (uint32_t)((int32_t)T1[0]))), ((int16_t)((uint8_t)p10))))));
        p9 = ((int32_t)~((int32_t)h3(((int32_t)((uint32_t)((int32_t)3u) - (uint32_t)p9)), ((int16_t)((uint32_t)p10 & (uint32_t)p10)))));
    }
    else
    {
        p9 = ((int32_t)((uint32_t)((int32_t)((uint32_t)((int32_t)5u) | (uint32_t)((int32_t)5u))) | (uint32_t)((int32_t)((((int32_t)T2[12]) / 2) / (int32_t)(-((int32_t)((((int32_t)p10) & 63) + 1)))))));
    }
    return ((uint8_t)T1[(uint32_t)p9 & 7u]);
}
#pragma tandem extent(A12, 8)
#pragma tandem extent(A13, 2)
#pragma tandem extent(S14, 4 * n)
#pragma tandem extent(S15, 2 * n)
int8_t f(uint8_t a11, int8_t *A12, const int8_t *A13, int32_t n, int32_t *S14, const int16_t *S15)
{
    int16_t v16 = ((int16_t)h8(((((uint16_t)65535u) != ((uint16_t)56248u)) ? ((int32_t)a11) : ((int32_t)a11)), ((int16_t)((uint32_t)((int16_t)32767u) ^ (uint32_t)((int16_t)a11)))));
    uint32_t v17 = ((uint32_t)h8(((int32_t)__builtin_popcount((uint32_t)((int32_t)v16))), ((int16_t)((int16_t)T1[(uint32_t)v16 & 7u]))));
    uint32_t v18 = ((uint32_t)(((uint32_t)((uint32_t)((uint32_t)A12[((uint32_t)a11 + 5u) & 7u]) ^ (uint32_t)((uint32_t)v16))) / (uint32_t)(((uint32_t)(((uint32_t)T1[((uint32_t)v16 + 3u) & 7u]) >> ((uint32_t)a11 & 31u))) | 1)));
    if (((((int16_t)A12[2]) <= ((int16_t)T2[((uint32_t)v17 ^ ((uint32_t)v16 >> 3)) & 15u])) && (((uint16_t)A12[((uint32_t)v16 ^ ((uint32_t)a11 >> 0)) & 7u]) <= ((uint16_t)T1[((uint32_t)v18 + 3u) & 7u])))) return ((int8_t)((((int8_t)v17) / 2) / (int8_t)(-((int8_t)((((int8_t)v18) & 63) + 1)))));
    for (int32_t i19 = 0; i19 < n; i19++)
    {
        int16_t x20 = S15[i19];
        if ((((uint32_t)3u) == ((uint32_t)((uint32_t)((uint32_t)A12[((uint32_t)i19 ^ ((uint32_t)v16 >> 0)) & 7u]) << ((uint32_t)((int16_t)T1[((uint32_t)i19 + 6u) & 7u]) & 31u)))))
        {
            A12[2] &= ((int8_t)((uint8_t)v18));
            uint32_t k21 = 1;
            do
            {
                k21--;
                v16 = ((int16_t)((uint32_t)((int16_t)2u) | (uint32_t)((int16_t)k21)));
                v17 = ((uint32_t)v16);
                v16 = ((int16_t)(((int16_t)A12[(uint32_t)v17 & 7u]) >> 5));
            }
            while (k21 != 0 && (((uint16_t)i19) == ((int16_t)k21)));
            v17 = ((uint32_t)((uint32_t)((uint32_t)x20) - (uint32_t)((uint32_t)T1[(uint32_t)v17 & 7u])));
        }
        S14[i19] = ((int32_t)((uint32_t)i19 << ((uint32_t)((uint8_t)255u) & 31u)));
        v16 = ((int16_t)2u);
    }
    return ((int8_t)((uint32_t)((((int16_t)v18) == ((int16_t)65535u)) ? v16 : ((int16_t)32768u))));
}

static __attribute__((noinline)) int8_t reference(uint8_t a11, int8_t *A12, const int8_t *A13, int32_t n, int32_t *S14, const int16_t *S15)
{
    int16_t v16 = ((int16_t)h8(((((uint16_t)65535u) != ((uint16_t)56248u)) ? ((int32_t)a11) : ((int32_t)a11)), ((int16_t)((uint32_t)((int16_t)32767u) ^ (uint32_t)((int16_t)a11)))));
    uint32_t v17 = ((uint32_t)h8(((int32_t)__builtin_popcount((uint32_t)((int32_t)v16))), ((int16_t)((int16_t)T1[(uint32_t)v16 & 7u]))));
    uint32_t v18 = ((uint32_t)(((uint32_t)((uint32_t)((uint32_t)A12[((uint32_t)a11 + 5u) & 7u]) ^ (uint32_t)((uint32_t)v16))) / (uint32_t)(((uint32_t)(((uint32_t)T1[((uint32_t)v16 + 3u) & 7u]) >> ((uint32_t)a11 & 31u))) | 1)));
    if (((((int16_t)A12[2]) <= ((int16_t)T2[((uint32_t)v17 ^ ((uint32_t)v16 >> 3)) & 15u])) && (((uint16_t)A12[((uint32_t)v16 ^ ((uint32_t)a11 >> 0)) & 7u]) <= ((uint16_t)T1[((uint32_t)v18 + 3u) & 7u])))) return ((int8_t)((((int8_t)v17) / 2) / (int8_t)(-((int8_t)((((int8_t)v18) & 63) + 1)))));
    for (int32_t i19 = 0; i19 < n; i19++)
    {
        int16_t x20 = S15[i19];
        if ((((uint32_t)3u) == ((uint32_t)((uint32_t)((uint32_t)A12[((uint32_t)i19 ^ ((uint32_t)v16 >> 0)) & 7u]) << ((uint32_t)((int16_t)T1[((uint32_t)i19 + 6u) & 7u]) & 31u)))))
        {
            A12[2] &= ((int8_t)((uint8_t)v18));
            uint32_t k21 = 1;
            do
            {
                k21--;
                v16 = ((int16_t)((uint32_t)((int16_t)2u) | (uint32_t)((int16_t)k21)));
                v17 = ((uint32_t)v16);
                v16 = ((int16_t)(((int16_t)A12[(uint32_t)v17 & 7u]) >> 5));
            }
            while (k21 != 0 && (((uint16_t)i19) == ((int16_t)k21)));
            v17 = ((uint32_t)((uint32_t)((uint32_t)x20) - (uint32_t)((uint32_t)T1[(uint32_t)v17 & 7u])));
        }
        S14[i19] = ((int32_t)((uint32_t)i19 << ((uint32_t)((uint8_t)255u) & 31u)));
        v16 = ((int16_t)2u);
    }
    return ((int8_t)((uint32_t)((((int16_t)v18) == ((int16_t)65535u)) ? v16 : ((int16_t)32768u))));
}

static uint64_t seed = 88172645463325252ull;
static uint64_t rnd(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed; }
static uint64_t val(int bits) { uint64_t x = rnd(); switch (rnd() % 6) { case 0: return 0; case 1: return ~0ull; case 2: return 1ull << (bits - 1); case 3: return x & 15; default: return x; } }
int main(void)
{
    uint64_t sum = 0; int bad = 0;
    static int8_t g_A12[64 + 16], r_A12[64 + 16];
    static int8_t g_A13[64 + 16], r_A13[64 + 16];
    static int32_t g_S14[64 + 16], r_S14[64 + 16];
    static int16_t g_S15[64 + 16], r_S15[64 + 16];
    static const int sizes[] = {0, 1, 2, 3, 7, 16, 31};
    for (int call = 0; call < 7; call++) {
        int size = sizes[call]; (void)size;
        uint8_t c_a11 = (uint8_t)val(8);
        for (int i = 0; i < 80; i++) g_A12[i] = r_A12[i] = (int8_t)val(8);
        for (int i = 0; i < 80; i++) g_A13[i] = r_A13[i] = (int8_t)val(8);
        for (int i = 0; i < 80; i++) g_S14[i] = r_S14[i] = (int32_t)val(32);
        for (int i = 0; i < 80; i++) g_S15[i] = r_S15[i] = (int16_t)val(16);
        int8_t x = f(c_a11, g_A12, g_A13, size, g_S14, g_S15), y = reference(c_a11, r_A12, r_A13, size, r_S14, r_S15);
        if (x != y) { bad = 1; printf("call %d: result %llx, expected %llx\n", call, (unsigned long long)x, (unsigned long long)y); }
        sum = sum * 31 + (uint64_t)y;
        if (memcmp(g_A12, r_A12, sizeof g_A12)) { bad = 1; for (int i = 0; i < 80; i++) if (g_A12[i] != r_A12[i]) printf("call %d: A12[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_A12[i], (unsigned long long)r_A12[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_A12[i];
        if (memcmp(g_A13, r_A13, sizeof g_A13)) { bad = 1; for (int i = 0; i < 80; i++) if (g_A13[i] != r_A13[i]) printf("call %d: A13[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_A13[i], (unsigned long long)r_A13[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_A13[i];
        if (memcmp(g_S14, r_S14, sizeof g_S14)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S14[i] != r_S14[i]) printf("call %d: S14[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S14[i], (unsigned long long)r_S14[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S14[i];
        if (memcmp(g_S15, r_S15, sizeof g_S15)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S15[i] != r_S15[i]) printf("call %d: S15[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S15[i], (unsigned long long)r_S15[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S15[i];
    }
    printf("%s %llx\n", bad ? "BAD" : "good", (unsigned long long)sum);
    return bad;
}
