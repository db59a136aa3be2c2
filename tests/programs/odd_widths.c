/* SPDX-License-Identifier: Apache-2.0 */
/* Values of odd widths side by side: the model was wrong when clang made vectors of them. */
#include <stdint.h>
#include <string.h>

#pragma tandem extent(stream1, 8 * (uint64_t)n)
uint32_t top(uint64_t *stream1, int8_t n)
{
    int32_t local1 = (int32_t)((uint32_t)(((uint32_t)(((uint32_t)((int32_t)(uint32_t)n >> 7)) % 7)) >> (((uint32_t)(uint16_t)((uint32_t)((uint32_t)n | (uint32_t)n))) & 31)));
    if (((int64_t)(uint64_t)local1 > (int64_t)((uint64_t)(((int32_t)((uint32_t)((uint32_t)local1 - (uint32_t)local1)) == (int32_t)((uint32_t)((uint32_t)n | (uint32_t)n))) ? ((uint64_t)((uint64_t)n - (uint64_t)local1)) : ((uint64_t)(0x1ull ^ (uint64_t)local1)))))) {
        local1 = (int32_t)((uint32_t)(((uint32_t)(((uint32_t)((uint32_t)n << (0x0u & 31))) * ((uint32_t)((uint32_t)local1 << 8)))) - ((uint32_t)(((uint32_t)(0x3e81f18eu + (uint32_t)n)) * ((uint32_t)(0x2u % 7))))));
    } else {
        local1 = ((uint32_t)((int32_t)((uint32_t)(((uint32_t)((int32_t)(uint32_t)local1 >> ((uint32_t)local1 & 31))) | ((uint32_t)(0x7u & 0x0u)))) >= (int32_t)((uint32_t)(((uint32_t)((uint32_t)local1 >> (0xau & 31))) / 16))));
        for (int8_t i1 = 0; i1 < n; i1++) {
            for (int16_t i2 = 19; i2 >= 0; --i2) {
                local1 = (uint32_t)i2;
            }
            local1 = ((uint32_t)(0xau | ((uint32_t)((int32_t)((uint32_t)((uint32_t)n << (0xd0u & 31))) / 3))));
            local1 = (int32_t)((uint32_t)(((uint32_t)(((uint32_t)((uint32_t)n / (((uint32_t)n & 0xff) + 1))) - (uint32_t)i1)) << 26));
            stream1[i1] = (uint64_t)(uint64_t)i1;
        }
    }
    return ((uint32_t)((int32_t)((uint32_t)(uint32_t)((uint32_t)(0x994c29cfu / (((uint32_t)n & 0xff) + 1)))) >> 17));
}
