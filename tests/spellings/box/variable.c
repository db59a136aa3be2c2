/* SPDX-License-Identifier: Apache-2.0 */
/* rows of a width that the call tells */
#include <stdint.h>

void box(int rows, int width, const uint8_t in[rows][width], uint8_t out[rows][width])
{
    for (int y = 1; y < rows - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int sum = 0;
            for (int v = -1; v <= 1; v++)
                for (int u = -1; u <= 1; u++)
                    sum += in[y + v][x + u];
            out[y][x] = sum / 9;
        }
}

void call(const void *in, void *out) { box(12, 40, in, out); }
