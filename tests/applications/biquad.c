// SPDX-License-Identifier: Apache-2.0
// offload: biquad_run
// A second-order section, direct form 1, coefficients in Q14; against 64-bit arithmetic.
#include <stdint.h>
#include <stdio.h>

typedef struct biquad {
    int32_t b0, b1, b2, a1, a2;
    int32_t x1, x2, y1, y2;
} biquad;

void biquad_run(biquad *f, const int16_t *in, int16_t *out, int count)
{
    for (int i = 0; i < count; i++) {
        int32_t x = in[i];
        int32_t sum = f->b0 * x + f->b1 * f->x1 + f->b2 * f->x2 - f->a1 * f->y1 - f->a2 * f->y2;
        int32_t y = sum >> 14;
        if (y > 32767)
            y = 32767;
        if (y < -32768)
            y = -32768;
        f->x2 = f->x1;
        f->x1 = x;
        f->y2 = f->y1;
        f->y1 = y;
        out[i] = (int16_t)y;
    }
}

int main(void)
{
    static int16_t in[200], out[200];
    biquad low = {1106, 2212, 1106, -18728, 6768, 0, 0, 0, 0};
    int64_t x[2] = {0, 0}, y[2] = {0, 0};
    int wrong = 0;
    for (int i = 0; i < 200; i++)
        in[i] = (int16_t)(i < 100 ? 1000 : i % 2 ? 4000 : -4000);
    biquad_run(&low, in, out, 150);
    biquad_run(&low, in + 150, out + 150, 50);
    for (int i = 0; i < 200; i++) {
        int64_t sum = 1106 * (in[i] + 2 * x[0] + x[1]) + 18728 * y[0] - 6768 * y[1];
        x[1] = x[0], x[0] = in[i];
        y[1] = y[0], y[0] = sum >= 0 ? sum / 16384 : -((-sum + 16383) / 16384);
        wrong += out[i] != y[0];
    }
    wrong += out[99] < 990 || out[99] > 1010; /* a gain of one at rest */
    printf("%d %d, %d wrong\n", out[99], out[199], wrong);
    return wrong != 0;
}
