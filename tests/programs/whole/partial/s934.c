// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#pragma tandem extent(S4, 8 * n)
#pragma tandem extent(S5, 4 * n)
#pragma tandem extent(S6, 1 * n)
#pragma tandem extent(S7, 8 * n)
void f(uint32_t a1, int16_t a2, int64_t a3, uint64_t *S4, const uint32_t *S5, int8_t *S6, int32_t n, uint64_t *S7)
{
    uint8_t v8 = ((uint8_t)((uint32_t)((uint8_t)((uint32_t)((uint8_t)2u) + (uint32_t)((uint8_t)a1))) + (uint32_t)((uint8_t)((uint32_t)((uint8_t)a3) - (uint32_t)((uint8_t)a2)))));
    uint64_t v9 = ((uint64_t)((uint64_t)((uint64_t)(0u - (uint64_t)((uint64_t)v8))) << ((uint32_t)((uint8_t)((uint32_t)((uint8_t)127u) + (uint32_t)v8)) & 63u)));
    uint32_t k10 = 17;
    while (k10-- > 0 && (((int32_t)((uint16_t)a2)) >= ((int32_t)(((int32_t)a2) >> 6))))
    {
        uint32_t k11 = 1;
        do
        {
            k11--;
            if (((((int64_t)k10) >= ((uint32_t)3u)) || (!((uint16_t)a2)))) return;
            v9 |= ((uint64_t)(0u - (uint64_t)((uint64_t)~((uint64_t)a2))));
        }
        while (k11 != 0 && (((int64_t)k11) > ((int64_t)10063992664247307740ull)));
        v9 += ((uint64_t)((uint64_t)((uint64_t)(0u - (uint64_t)v9)) * (uint64_t)((uint64_t)(((int8_t)v9) * ((uint8_t)k11)))));
    }
    for (int32_t i12 = 0; i12 < n; i12++)
    {
        uint32_t x13 = S5[i12];
        uint64_t x14 = S7[i12];
        if ((((int64_t)a2) == ((int64_t)v8))) return;
        x13 += ((uint32_t)((uint32_t)((uint32_t)((uint32_t)x13 * (uint32_t)((uint32_t)4294967295u))) - (uint32_t)((uint32_t)((uint32_t)((uint32_t)a3) << ((uint32_t)((uint32_t)a3) & 31u)))));
        S4[i12] = ((uint64_t)(((uint8_t)((((uint16_t)v9) <= ((uint16_t)1u)) && (((uint64_t)i12) < x14))) + ((int8_t)((uint32_t)((int8_t)(((int32_t)a1) == ((int32_t)2u))) ^ (uint32_t)((int8_t)1u)))));
        S6[i12] = ((int8_t)(((int8_t)(x13 > k10)) >> 5));
        S7[i12] = ((uint64_t)(((int16_t)((uint32_t)((int16_t)((uint32_t)((int16_t)x13) << ((uint32_t)((uint32_t)a3) & 15u))) ^ (uint32_t)((int16_t)((int8_t)3u)))) * ((uint8_t)(((uint8_t)x14) % (uint8_t)(((uint8_t)((uint32_t)((uint8_t)v9) + (uint32_t)((uint8_t)v9))) | 1)))));
    }
}

static __attribute__((noinline)) void reference(uint32_t a1, int16_t a2, int64_t a3, uint64_t *S4, const uint32_t *S5, int8_t *S6, int32_t n, uint64_t *S7)
{
    uint8_t v8 = ((uint8_t)((uint32_t)((uint8_t)((uint32_t)((uint8_t)2u) + (uint32_t)((uint8_t)a1))) + (uint32_t)((uint8_t)((uint32_t)((uint8_t)a3) - (uint32_t)((uint8_t)a2)))));
    uint64_t v9 = ((uint64_t)((uint64_t)((uint64_t)(0u - (uint64_t)((uint64_t)v8))) << ((uint32_t)((uint8_t)((uint32_t)((uint8_t)127u) + (uint32_t)v8)) & 63u)));
    uint32_t k10 = 17;
    while (k10-- > 0 && (((int32_t)((uint16_t)a2)) >= ((int32_t)(((int32_t)a2) >> 6))))
    {
        uint32_t k11 = 1;
        do
        {
            k11--;
            if (((((int64_t)k10) >= ((uint32_t)3u)) || (!((uint16_t)a2)))) return;
            v9 |= ((uint64_t)(0u - (uint64_t)((uint64_t)~((uint64_t)a2))));
        }
        while (k11 != 0 && (((int64_t)k11) > ((int64_t)10063992664247307740ull)));
        v9 += ((uint64_t)((uint64_t)((uint64_t)(0u - (uint64_t)v9)) * (uint64_t)((uint64_t)(((int8_t)v9) * ((uint8_t)k11)))));
    }
    for (int32_t i12 = 0; i12 < n; i12++)
    {
        uint32_t x13 = S5[i12];
        uint64_t x14 = S7[i12];
        if ((((int64_t)a2) == ((int64_t)v8))) return;
        x13 += ((uint32_t)((uint32_t)((uint32_t)((uint32_t)x13 * (uint32_t)((uint32_t)4294967295u))) - (uint32_t)((uint32_t)((uint32_t)((uint32_t)a3) << ((uint32_t)((uint32_t)a3) & 31u)))));
        S4[i12] = ((uint64_t)(((uint8_t)((((uint16_t)v9) <= ((uint16_t)1u)) && (((uint64_t)i12) < x14))) + ((int8_t)((uint32_t)((int8_t)(((int32_t)a1) == ((int32_t)2u))) ^ (uint32_t)((int8_t)1u)))));
        S6[i12] = ((int8_t)(((int8_t)(x13 > k10)) >> 5));
        S7[i12] = ((uint64_t)(((int16_t)((uint32_t)((int16_t)((uint32_t)((int16_t)x13) << ((uint32_t)((uint32_t)a3) & 15u))) ^ (uint32_t)((int16_t)((int8_t)3u)))) * ((uint8_t)(((uint8_t)x14) % (uint8_t)(((uint8_t)((uint32_t)((uint8_t)v9) + (uint32_t)((uint8_t)v9))) | 1)))));
    }
}

static uint64_t seed = 88172645463325252ull;
static uint64_t rnd(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed; }
static uint64_t val(int bits) { uint64_t x = rnd(); switch (rnd() % 6) { case 0: return 0; case 1: return ~0ull; case 2: return 1ull << (bits - 1); case 3: return x & 15; default: return x; } }
int main(void)
{
    uint64_t sum = 0; int bad = 0;
    static uint64_t g_S4[64 + 16], r_S4[64 + 16];
    static uint32_t g_S5[64 + 16], r_S5[64 + 16];
    static int8_t g_S6[64 + 16], r_S6[64 + 16];
    static uint64_t g_S7[64 + 16], r_S7[64 + 16];
    static const int sizes[] = {0, 1, 2, 3, 7, 16, 31};
    for (int call = 0; call < 7; call++) {
        int size = sizes[call]; (void)size;
        uint32_t c_a1 = (uint32_t)val(32);
        int16_t c_a2 = (int16_t)val(16);
        int64_t c_a3 = (int64_t)val(64);
        for (int i = 0; i < 80; i++) g_S4[i] = r_S4[i] = (uint64_t)val(64);
        for (int i = 0; i < 80; i++) g_S5[i] = r_S5[i] = (uint32_t)val(32);
        for (int i = 0; i < 80; i++) g_S6[i] = r_S6[i] = (int8_t)val(8);
        for (int i = 0; i < 80; i++) g_S7[i] = r_S7[i] = (uint64_t)val(64);
        f(c_a1, c_a2, c_a3, g_S4, g_S5, g_S6, size, g_S7); reference(c_a1, c_a2, c_a3, r_S4, r_S5, r_S6, size, r_S7);
        if (memcmp(g_S4, r_S4, sizeof g_S4)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S4[i] != r_S4[i]) printf("call %d: S4[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S4[i], (unsigned long long)r_S4[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S4[i];
        if (memcmp(g_S5, r_S5, sizeof g_S5)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S5[i] != r_S5[i]) printf("call %d: S5[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S5[i], (unsigned long long)r_S5[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S5[i];
        if (memcmp(g_S6, r_S6, sizeof g_S6)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S6[i] != r_S6[i]) printf("call %d: S6[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S6[i], (unsigned long long)r_S6[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S6[i];
        if (memcmp(g_S7, r_S7, sizeof g_S7)) { bad = 1; for (int i = 0; i < 80; i++) if (g_S7[i] != r_S7[i]) printf("call %d: S7[%d] = %llx, expected %llx\n", call, i, (unsigned long long)g_S7[i], (unsigned long long)r_S7[i]); }
        for (int i = 0; i < 80; i++) sum = sum * 31 + (uint64_t)g_S7[i];
    }
    printf("%s %llx\n", bad ? "BAD" : "good", (unsigned long long)sum);
    return bad;
}
