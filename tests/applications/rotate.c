// SPDX-License-Identifier: Apache-2.0
// offload: rotate
// An image turned by 90 degrees; four turns give it back.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define W 40
#define H 27

void rotate(const uint32_t *in, uint32_t *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[x * h + (h - 1 - y)] = in[y * w + x];
}

int main(void)
{
    static uint32_t first[W * H], a[W * H], b[W * H];
    for (int i = 0; i < W * H; i++)
        first[i] = (uint32_t)i * 2654435761u;
    rotate(first, a, W, H);
    int wrong = a[0] != first[(H - 1) * W] || a[H - 1] != first[0] || a[W * H - 1] != first[W - 1];
    rotate(a, b, H, W);
    for (int i = 0; i < W * H; i++)
        wrong += b[i] != first[W * H - 1 - i];
    rotate(b, a, W, H);
    rotate(a, b, H, W);
    wrong += memcmp(first, b, sizeof b) != 0;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
