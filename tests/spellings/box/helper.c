/* SPDX-License-Identifier: Apache-2.0 */
/* a function and a macro, do and while */
#include <stdint.h>
#define AT(y, x) in[(y) * 40 + (x)]

static inline unsigned three(const uint8_t *p)
{
    return p[0] + p[1] + p[2];
}

void box(const uint8_t *in, uint8_t *out)
{
    int y = 1;
    while (y < 11) {
        int x = 1;
        do {
            unsigned sum = three(&AT(y - 1, x - 1)) + three(&AT(y, x - 1)) + three(&AT(y + 1, x - 1));
            out[y * 40 + x] = sum / 9;
        } while (++x < 39);
        y++;
    }
}

void call(const void *in, void *out) { box(in, out); }
