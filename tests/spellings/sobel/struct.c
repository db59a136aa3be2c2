/* SPDX-License-Identifier: Apache-2.0 */
/* images in one struct */
#include <stdint.h>
#include <stdlib.h>
struct images {
    const uint8_t *in;
    uint8_t *out;
};

void sobel(const struct images *images)
{
    const uint8_t *in = images->in;
    uint8_t *out = images->out;
    for (int y = 1; y < 11; y++)
        for (int x = 1; x < 39; x++) {
            const uint8_t *p = &in[y * 40 + x];
            int h = p[-39] + 2 * p[1] + p[41] - p[-41] - 2 * p[-1] - p[39];
            int v = p[39] + 2 * p[40] + p[41] - p[-41] - 2 * p[-40] - p[-39];
            int g = abs(h) + abs(v);
            out[y * 40 + x] = g > 255 ? 255 : g;
        }
}

void call(const void *in, void *out) { sobel(&(struct images){in, out}); }
