// SPDX-License-Identifier: Apache-2.0
// offload: zoom
/* An image made larger or smaller, between four pixels each, in fixed point. */
#include <stdint.h>

void zoom(const uint8_t *in, int width, int height, uint8_t *out, int out_width, int out_height)
{
    uint32_t step_x = ((uint32_t)(width - 1) << 16) / out_width, step_y = ((uint32_t)(height - 1) << 16) / out_height;
    for (int y = 0; y < out_height; y++) {
        uint32_t py = y * step_y, fy = py >> 8 & 255;
        const uint8_t *row = in + (py >> 16) * width;
        for (int x = 0; x < out_width; x++) {
            uint32_t px = x * step_x, fx = px >> 8 & 255, at = px >> 16;
            uint32_t above = row[at] * (256 - fx) + row[at + 1] * fx;
            uint32_t below = row[at + width] * (256 - fx) + row[at + width + 1] * fx;
            out[y * out_width + x] = (above * (256 - fy) + below * fy + 32768) >> 16;
        }
    }
}
