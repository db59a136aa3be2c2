// SPDX-License-Identifier: Apache-2.0
/* A picture is made, filtered by medians of nine, and summed up. */
#include <stdint.h>
#include <stdio.h>
#define W 256
#define H 128
static uint8_t in[W * H], out[W * H];
static int less(int a, int b)
{
    return a < b ? a : b;
}
static int more(int a, int b)
{
    return a < b ? b : a;
}
void median(const uint8_t *p, uint8_t *q)
{
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            int v[9];
            for (int k = 0; k < 9; k++)
                v[k] = p[(y + k / 3 - 1) * W + x + k % 3 - 1];
            for (int i = 0; i < 9; i++)
                for (int k = 0; k + 1 < 9 - i; k++) {
                    int a = less(v[k], v[k + 1]), b = more(v[k], v[k + 1]);
                    v[k] = a;
                    v[k + 1] = b;
                }
            q[y * W + x] = v[4];
        }
}
int main(void)
{
    uint32_t s = 1;
    for (int i = 0; i < W * H; i++)
        in[i] = (s = s * 1664525 + 1013904223) >> 24;
    for (int i = 0; i < 2; i++)
        median(in, out);
    for (int i = 0; i < W * H; i++)
        s += out[i];
    printf("%u\n", s);
    return 0;
}
