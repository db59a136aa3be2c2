// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const int32_t T1[64] = {((int32_t)858596622u), ((int32_t)1u), ((int32_t)2147483648u), ((int32_t)2u), ((int32_t)13u), ((int32_t)2147483648u), ((int32_t)0u), ((int32_t)2147483647u), ((int32_t)3u), ((int32_t)2147483648u), ((int32_t)1781450745u), ((int32_t)1u), ((int32_t)3u), ((int32_t)2147483647u), ((int32_t)11596u), ((int32_t)2u), ((int32_t)4294967295u), ((int32_t)0u), ((int32_t)17256u), ((int32_t)9u), ((int32_t)11u), ((int32_t)4u), ((int32_t)1u), ((int32_t)5u), ((int32_t)7u), ((int32_t)2147483648u), ((int32_t)3u), ((int32_t)11u), ((int32_t)1u), ((int32_t)5u), ((int32_t)2201426646u), ((int32_t)5u), ((int32_t)2u), ((int32_t)3u), ((int32_t)2u), ((int32_t)1u), ((int32_t)7u), ((int32_t)9141u), ((int32_t)3u), ((int32_t)4u), ((int32_t)10u), ((int32_t)13u), ((int32_t)2147483648u), ((int32_t)2265333064u), ((int32_t)3u), ((int32_t)2147483648u), ((int32_t)5u), ((int32_t)1u), ((int32_t)2147483647u), ((int32_t)15u), ((int32_t)0u), ((int32_t)1811013388u), ((int32_t)2u), ((int32_t)3u), ((int32_t)2u), ((int32_t)7u), ((int32_t)2768109898u), ((int32_t)2147483647u), ((int32_t)1u), ((int32_t)4294967295u), ((int32_t)1u), ((int32_t)7u), ((int32_t)2147483647u), ((int32_t)1u)};
static uint64_t h2(int32_t p3)
{
    if ((((uint32_t)T1[((uint32_t)p3 + 11u) & 63u]) != ((uint32_t)p3)))
    {
        p3 = ((int32_t)(((uint16_t)((uint32_t)((uint16_t)p3) ^ (uint32_t)((uint16_t)7u))) > ((uint16_t)(p3 < p3))));
        for (uint32_t i4 = 0; i4 < 8; i4++)
        {
            uint32_t l5[8] = {((uint32_t)7u), ((uint32_t)2147483648u), ((uint32_t)7u)};
            p3 = ((int32_t)(((int32_t)i4) >> ((uint32_t)((uint64_t)l5[(uint32_t)p3 & 7u]) & 31u)));
            p3 = ((int32_t)(((uint32_t)(((int32_t)i4) != ((uint8_t)205u))) <= ((uint32_t)((int64_t)i4))));
            p3 = ((int32_t)(!((int32_t)(((uint8_t)i4) == ((uint8_t)p3)))));
        }
        p3 = ((int32_t)((uint32_t)((int32_t)(((uint8_t)p3) >= ((uint64_t)7ull))) + (uint32_t)((int32_t)((uint32_t)((int32_t)((uint32_t)p3 | (uint32_t)p3)) - (uint32_t)((int32_t)((uint32_t)p3 * (uint32_t)p3))))));
    }
    return ((uint64_t)(((int8_t)p3) == ((int8_t)p3)));
}
static uint8_t h6(int32_t p7)
{
    uint64_t v8 = ((uint64_t)((uint64_t)((uint64_t)((uint64_t)((uint64_t)p7) << ((uint32_t)((uint64_t)p7) & 63u))) & (uint64_t)((uint64_t)((uint64_t)((uint64_t)T1[((uint32_t)p7 + 19u) & 63u]) << ((uint32_t)((int64_t)874436786ull) & 63u)))));
    p7 = ((int32_t)((uint32_t)((int32_t)v8) << ((uint32_t)((int8_t)v8) & 31u)));
    uint16_t v9 = ((uint16_t)(0u - (uint32_t)((uint16_t)8u)));
    v9 |= ((uint16_t)((uint32_t)((uint16_t)((uint16_t)v8)) << ((uint32_t)((uint32_t)(((uint32_t)v8) >> 21)) & 15u)));
    return ((uint8_t)(((uint16_t)T1[((uint32_t)v9 + 57u) & 63u]) <= ((uint16_t)T1[61])));
}
#pragma tandem extent(A12, 8)
#pragma tandem extent(S13, 4 * n)
#pragma tandem extent(S14, 2 * n)
#pragma tandem extent(S15, 1 * n)
void f(int32_t a10, int32_t a11, uint32_t n, uint16_t *A12, const uint32_t *S13, int16_t *S14, const uint8_t *S15)
{
    uint64_t l16[8];
    for (int j17 = 0; j17 < 8; j17++) l16[j17] = (uint64_t)((uint64_t)((uint64_t)((int16_t)a11)) + (uint64_t)j17);
    int16_t v18 = ((int16_t)T1[53]);
    uint32_t v19 = ((uint32_t)((uint8_t)v18));
    for (uint32_t i20 = 0; i20 < n; i20++)
    {
        uint32_t x21 = S13[i20];
        uint8_t x22 = S15[i20];
        v19 = ((uint32_t)(((int64_t)v19) == i20));
        if ((((int64_t)((uint64_t)((int64_t)a10) | (uint64_t)((int64_t)l16[((uint32_t)v18 + 5u) & 7u]))) <= ((int64_t)(((uint16_t)a10) != ((uint16_t)5u))))) break;
        if ((((int32_t)((uint32_t)((int32_t)x21) ^ (uint32_t)((int32_t)x21))) > ((int32_t)h2(((int32_t)7u))))) break;
        a11 = ((int32_t)h2(((int32_t)((uint32_t)((int32_t)x21) - (uint32_t)((int32_t)v19)))));
        S14[i20] = ((int16_t)x22);
    }
    if ((((uint8_t)v18) > ((uint64_t)(((uint16_t)T1[((uint32_t)v18 ^ ((uint32_t)a10 >> 6)) & 63u]) == ((int64_t)A12[((uint32_t)v19 + 0u) & 3u])))))
    {
        l16[((uint32_t)a10 + 0u) & 7u] = ((uint64_t)h6(((int32_t)(((uint16_t)a11) < ((uint16_t)v18)))));
        v18 = ((int16_t)((uint32_t)((int16_t)h2(a10)) * (uint32_t)((int16_t)(((int16_t)a11) >> 14))));
    }
    else
    {
        v18 = ((int16_t)(!v19));
    }
}

static __attribute__((noinline)) void reference(int32_t a10, int32_t a11, uint32_t n, uint16_t *A12, const uint32_t *S13, int16_t *S14, const uint8_t *S15)
{
    uint64_t l16[8];
    for (int j17 = 0; j17 < 8; j17++) l16[j17] = (uint64_t)((uint64_t)((uint64_t)((int16_t)a11)) + (uint64_t)j17);
    int16_t v18 = ((int16_t)T1[53]);
    uint32_t v19 = ((uint32_t)((uint8_t)v18));
    for (uint32_t i20 = 0; i20 < n; i20++)
    {
        uint32_t x21 = S13[i20];
        uint8_t x22 = S15[i20];
        v19 = ((uint32_t)(((int64_t)v19) == i20));
        if ((((int64_t)((uint64_t)((int64_t)a10) | (uint64_t)((int64_t)l16[((uint32_t)v18 + 5u) & 7u]))) <= ((int64_t)(((uint16_t)a10) != ((uint16_t)5u))))) break;
        if ((((int32_t)((uint32_t)((int32_t)x21) ^ (uint32_t)((int32_t)x21))) > ((int32_t)h2(((int32_t)7u))))) break;
        a11 = ((int32_t)h2(((int32_t)((uint32_t)((int32_t)x21) - (uint32_t)((int32_t)v19)))));
        S14[i20] = ((int16_t)x22);
    }
    if ((((uint8_t)v18) > ((uint64_t)(((uint16_t)T1[((uint32_t)v18 ^ ((uint32_t)a10 >> 6)) & 63u]) == ((int64_t)A12[((uint32_t)v19 + 0u) & 3u])))))
    {
        l16[((uint32_t)a10 + 0u) & 7u] = ((uint64_t)h6(((int32_t)(((uint16_t)a11) < ((uint16_t)v18)))));
        v18 = ((int16_t)((uint32_t)((int16_t)h2(a10)) * (uint32_t)((int16_t)(((int16_t)a11) >> 14))));
    }
    else
    {
        v18 = ((int16_t)(!v19));
    }
}

static uint64_t seed = 88172645463325252ull;
static uint64_t rnd(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed; }
static uint64_t val(int bits) { uint64_t x = rnd(); switch (rnd() % 6) { case 0: return 0; case 1: return ~0ull; case 2: return 1ull << (bits - 1); case 3: return x & 15; default: return x; } }
int main(void)
{
    uint64_t sum = 0; int bad = 0;
    static uint16_t g_A12[64 + 16], r_A12[64 + 16];
    static uint32_t g_S13[64 + 16], r_S13[64 + 16];
    static int16_t g_S14[64 + 16], r_S14[64 + 16];
    static uint8_t g_S15[64 + 16], r_S15[64 + 16];
    static const int sizes[] = {0, 1, 2, 3, 7, 16, 31};
    for (int call = 0; call < 7; call++) {
        int size = sizes[call]; (void)size;
        int32_t c_a10 = (int32_t)val(32);
        int32_t c_a11 = (int32_t)val(32);
        for (int i = 0; i < 80; i++) g_A12[i] = r_A12[i] = (uint16_t)val(16);
        for (int i = 0; i < 80; i++) g_S13[i] = r_S13[i] = (uint32_t)val(32);
        for (int i = 0; i < 80; i++) g_S14[i] = r_S14[i] = (int16_t)val(16);
        for (int i = 0; i < 80; i++) g_S15[i] = r_S15[i] = (uint8_t)val(8);
        f(c_a10, c_a11, size, g_A12, g_S13, g_S14, g_S15); reference(c_a10, c_a11, size, r_A12, r_S13, r_S14, r_S15);
        if (memcmp(g_A12, r_A12, sizeof g_A12)) { bad = 1; for (int i = 0; i < 80; i++) if (g_A12[i] != r_A12[i]) printf("call %d: A12[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_A12[i], (unsigned long long)r_A12[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_A12[i];
        if (memcmp(g_S13, r_S13, sizeof g_S13)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S13[i] != r_S13[i]) printf("call %d: S13[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S13[i], (unsigned long long)r_S13[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S13[i];
        if (memcmp(g_S14, r_S14, sizeof g_S14)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S14[i] != r_S14[i]) printf("call %d: S14[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S14[i], (unsigned long long)r_S14[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S14[i];
        if (memcmp(g_S15, r_S15, sizeof g_S15)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S15[i] != r_S15[i]) printf("call %d: S15[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S15[i], (unsigned long long)r_S15[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S15[i];
    }
    printf("%s %llx\n", bad ? "BAD" : "good", (unsigned long long)sum);
    return bad;
}
