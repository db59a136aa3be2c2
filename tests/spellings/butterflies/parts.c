// SPDX-License-Identifier: Apache-2.0
// Two arrays in one structure's place: halves as rows.
#include <stdint.h>
#include <string.h>
#define N 256

void butterflies(uint32_t a[N])
{
    for (uint8_t half = 1; half; half <<= 1)
        for (int k = 0; k < half; k++)
            for (int group = 0; group < N / 2 / half; group++) {
                uint32_t *pair = &a[2 * group * half + k], sum = pair[0] + pair[half];
                pair[half] = pair[0] - pair[half];
                pair[0] = sum;
            }
}

void call(const uint32_t *in, uint32_t *out)
{
    memcpy(out, in, N * sizeof *out);
    butterflies(out);
}
