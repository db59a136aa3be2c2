// SPDX-License-Identifier: Apache-2.0
// offload: rotator
/* Sine and cosine by rotations of ever smaller angles. */
#include <stdint.h>

static const int32_t angles[16] = {
    51471, 30385, 16054, 8149, 4090, 2047, 1023, 511, 255, 127, 63, 31, 15, 7, 3, 1};

void rotator(const int32_t *angle, int32_t *sine, int32_t *cosine, int n)
{
    for (int i = 0; i < n; i++) {
        int32_t x = 39796, y = 0, z = angle[i];
        for (int k = 0; k < 16; k++) {
            int32_t dx = y >> k, dy = x >> k;
            if (z >= 0) { x -= dx; y += dy; z -= angles[k]; }
            else { x += dx; y -= dy; z += angles[k]; }
        }
        cosine[i] = x;
        sine[i] = y;
    }
}
