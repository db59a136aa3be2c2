// SPDX-License-Identifier: Apache-2.0
// offload: colours
/* Pixels of red, green and blue as brightness and two differences, clamped. */
#include <stdint.h>

static uint8_t clamped(int a)
{
    return a < 0 ? 0 : a > 255 ? 255 : a;
}

void colours(const uint32_t *in, uint8_t *y, uint8_t *u, uint8_t *v, int n)
{
    for (int i = 0; i < n; i++) {
        int r = in[i] >> 16 & 255, g = in[i] >> 8 & 255, b = in[i] & 255;
        y[i] = clamped(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16);
        u[i] = clamped(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
        v[i] = clamped(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
    }
}
