/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#define WIDTH 64

void blur(const uint8_t in[][WIDTH], uint8_t out[][WIDTH], int height)
{
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += (2 - dy * dy) * (2 - dx * dx) * in[y + dy][x + dx];
            out[y][x] = sum >> 4;
        }
}
