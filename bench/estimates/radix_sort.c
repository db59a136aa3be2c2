// SPDX-License-Identifier: Apache-2.0
// offload: radix_sort
/* A sort of words by four bits at a time, least first. */
#include <stdint.h>
#define N 512

void radix_sort(uint32_t a[N])
{
    uint32_t other[N];
    for (int shift = 0; shift < 32; shift += 8) {
        uint16_t start[16];
        for (int half = 0; half < 2; half++) {
            uint32_t *from = half ? other : a, *to = half ? a : other;
            for (int i = 0; i < 16; i++)
                start[i] = 0;
            for (int i = 0; i < N; i++)
                start[from[i] >> (shift + 4 * half) & 15]++;
            uint16_t sum = 0;
            for (int i = 0; i < 16; i++) {
                uint16_t count = start[i];
                start[i] = sum;
                sum += count;
            }
            for (int i = 0; i < N; i++)
                to[start[from[i] >> (shift + 4 * half) & 15]++] = from[i];
        }
    }
}
