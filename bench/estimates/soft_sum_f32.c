// SPDX-License-Identifier: Apache-2.0
// offload: soft_sum_f32
/* The sum of floats by their bits, all of one accumulator. */
#include <stdint.h>

static uint32_t add(uint32_t a, uint32_t b)
{
    if ((a & 0x7fffffff) < (b & 0x7fffffff)) { uint32_t t = a; a = b; b = t; }
    uint32_t ea = a >> 23 & 255, eb = b >> 23 & 255, by = ea - eb;
    uint32_t da = (a & 0x7fffff) << 3 | 1 << 26, db = eb ? (b & 0x7fffff) << 3 | 1 << 26 : 0;
    db = by > 26 ? db != 0 : db >> by | ((db & ((1u << by) - 1)) != 0);
    da = (int32_t)(a ^ b) < 0 ? da - db : da + db;
    if (!da)
        return 0;
    int up = __builtin_clz(da) - 5;
    if (up < 0)
        da = da >> 1 | (da & 1);
    else
        da <<= up;
    ea -= up;
    da += 3 + (da >> 3 & 1);
    if (da >> 27) { da >>= 1; ea++; }
    return (a & 0x80000000) | ea << 23 | (da >> 3 & 0x7fffff);
}

uint32_t soft_sum_f32(const uint32_t *a, int n)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = add(sum, a[i]);
    return sum;
}
