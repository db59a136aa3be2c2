// SPDX-License-Identifier: Apache-2.0
// offload: threshold
// An image with a stride, made black and white in place; says how many pixels are white.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

size_t threshold(uint8_t *image, size_t stride, size_t width, size_t height, uint8_t level)
{
    size_t white = 0;
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = image + y * stride;
        for (size_t x = 0; x < width; x++) {
            if (row[x] >= level) {
                row[x] = 255;
                white++;
            } else {
                row[x] = 0;
            }
        }
    }
    return white;
}

int main(void)
{
    static uint8_t image[20][48], before[20][48];
    size_t wanted = 0;
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 48; x++) {
            before[y][x] = image[y][x] = (uint8_t)(y * 89 + x * 7 + (x >> 3) * 41);
            wanted += x < 37 && before[y][x] >= 140;
        }
    size_t white = threshold(&image[0][0], sizeof image[0], 37, 20, 140);
    int wrong = white != wanted;
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 48; x++)
            wrong += image[y][x] != (x >= 37 ? before[y][x] : before[y][x] >= 140 ? 255 : 0);
    printf("%zu white, %d wrong\n", white, wrong);
    return wrong != 0;
}
