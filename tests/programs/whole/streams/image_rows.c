// SPDX-License-Identifier: Apache-2.0
// offload: blur
// Rows of an image: a process reads them, one keeps two lines, one writes.
#include <stdint.h>
#include <stdio.h>
#include <tandem/stream.h>

TANDEM_STREAM(pixels, uint8_t)
enum { WIDTH = 24, HEIGHT = 16 };

static void load(const uint8_t *image, pixels *out)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels_write(out, image[i]);
}

static void vertical(pixels *in, pixels *out)
{
    uint8_t above[WIDTH] = {0}, before[WIDTH] = {0};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint8_t p = pixels_read(in);
            pixels_write(out, (uint8_t)((above[x] + 2 * before[x] + p) / 4));
            above[x] = before[x];
            before[x] = p;
        }
}

static void store(pixels *in, uint8_t *image)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = pixels_read(in);
}

void blur(const uint8_t in[WIDTH * HEIGHT], uint8_t out[WIDTH * HEIGHT])
{
    pixels a = {0}, b = {0};
    tandem_start(load(in, &a));
    tandem_start(vertical(&a, &b));
    tandem_start(store(&b, out));
    tandem_join();
}

int main(void)
{
    static uint8_t in[WIDTH * HEIGHT], out[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        in[i] = (uint8_t)(i * i + 3 * i);
    blur(in, out);
    unsigned sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sum = sum * 31 + out[i];
    printf("%u\n", sum);
    return 0;
}
