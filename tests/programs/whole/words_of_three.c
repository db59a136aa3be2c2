// SPDX-License-Identifier: Apache-2.0
// offload: exchange
/* The bytes of a pixel are one word of a port, in any order of the pixels, and behind the pointer. */
#include <stdint.h>
#include <stdio.h>

void exchange(uint8_t *rgb, const int *order, int n, int first)
{
    for (int i = 0; i < n; i++) {
        uint8_t *p = rgb + 3 * (order[i] - first) + 3 * first;
        uint8_t red = p[0];
        p[0] = p[2];
        p[2] = (uint8_t)(red + p[1]);
        p[1] ^= 0xff;
    }
}

int main(void)
{
    static uint8_t pixels[3 * 100];
    static int order[60];
    unsigned seed = 7;

    for (int i = 0; i < 300; i++) {
        seed = seed * 1664525u + 1013904223u;
        pixels[i] = (uint8_t)(seed >> 24);
    }
    for (int i = 0; i < 60; i++)
        order[i] = i * 37 % 50 - 20;
    exchange(pixels + 3 * 50, order, 60, 11);
    for (int i = 0; i < 300; i++)
        seed = seed * 31 + pixels[i];
    printf("%u\n", seed);
    return 0;
}
