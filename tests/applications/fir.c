// SPDX-License-Identifier: Apache-2.0
// offload: fir
// A filter of 32 taps with Q15 coefficients, rounded; the impulse gives the coefficients back.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TAPS 32

static const int16_t taps[TAPS] = {
    -12,  -30,  -58,  -95,  -132, -150, -124, -30,  150,  420,  770, 1180, 1610, 2020, 2360, 2590,
    2590, 2360, 2020, 1610, 1180, 770,  420,  150,  -30,  -124, -150, -132, -95,  -58,  -30,  -12,
};

/* `in` has TAPS - 1 samples more than `out`. */
void fir(const int16_t *restrict in, int16_t *restrict out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t sum = 1 << 14;
        for (size_t k = 0; k < TAPS; k++)
            sum += in[i + k] * taps[TAPS - 1 - k];
        out[i] = (int16_t)(sum >> 15);
    }
}

int main(void)
{
    static int16_t in[300 + TAPS - 1], out[300];
    int wrong = 0;
    in[TAPS - 1] = 16384;
    for (int i = 100; i < 300; i++)
        in[i + TAPS - 1] = (int16_t)(i * i * 31);
    fir(in, out, 300);
    for (int i = 0; i < TAPS; i++)
        wrong += out[i] != (taps[i] + 1) >> 1;
    for (int i = 0; i < 300; i++) {
        int64_t sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += (int64_t)taps[k] * in[i + TAPS - 1 - k];
        wrong += out[i] != (int16_t)((sum + 16384) >> 15);
    }
    printf("%d %d, %d wrong\n", out[15], out[299], wrong);
    return wrong != 0;
}
