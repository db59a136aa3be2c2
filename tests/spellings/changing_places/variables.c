/* SPDX-License-Identifier: Apache-2.0 */
/* variables of the file, counted down */
#include <stdint.h>

static uint32_t one[256], other[256];

void changing_places(const uint32_t in[256], uint32_t out[256])
{
    for (int i = 0; i < 256; i++)
        one[i] = in[i], other[i] = 7;
    for (int left = 8; left > 0; left--) {
        const uint32_t *from = left % 2 ? other : one;
        uint32_t *to = left % 2 ? one : other;
        int round = 8 - left;
        for (int i = 255; i >= 0; i--)
            to[(from[255 - i] + 5 * (255 - i)) & 255] = from[255 - i] + round;
    }
    for (int i = 0; i < 256; i++)
        out[i] = one[i];
}

void call(const void *in, void *out) { changing_places(in, out); }
