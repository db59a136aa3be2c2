// SPDX-License-Identifier: Apache-2.0
// offload: int_to_double
/* Whole numbers as doubles and back, by their bits. */
#include <stdint.h>

static uint64_t to_double(int32_t a)
{
    uint32_t size = a < 0 ? -(uint32_t)a : a;
    int shift = 0;
    if (!size)
        return 0;
    while (!(size >> 31)) { size <<= 1; shift++; }
    return (uint64_t)(a < 0) << 63 | ((uint64_t)(1023 + 31 - shift) << 52) + ((uint64_t)(size & 0x7fffffff) << 21);
}

static int32_t to_int(uint64_t a)
{
    int exponent = (a >> 52 & 2047) - 1023;
    uint64_t digits = (a & 0xfffffffffffffull) | 1ull << 52;
    if (exponent < 0)
        return 0;
    if (exponent > 30)
        return a >> 63 ? INT32_MIN : INT32_MAX;
    int32_t size = digits >> (52 - exponent);
    return a >> 63 ? -size : size;
}

void int_to_double(const int32_t *in, uint64_t *out, int32_t *back, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t d = to_double(in[i]);
        out[i] = d;
        back[i] = to_int(d - (1ull << 52));
    }
}
