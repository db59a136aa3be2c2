// SPDX-License-Identifier: Apache-2.0
// offload: fir
// A 16-tap filter in Q15, rounded and saturated: an impulse gives the taps, a step their sums.
#include <stdint.h>
#include <stdio.h>

#define TAPS 16

void fir(const int16_t *in, int16_t *out, const int16_t taps[TAPS], int samples)
{
    int16_t line[TAPS] = {0};
    for (int n = 0; n < samples; n++) {
        int64_t sum = 1 << 14;
        for (int i = TAPS - 1; i > 0; i--)
            line[i] = line[i - 1];
        line[0] = in[n];
        for (int i = 0; i < TAPS; i++)
            sum += (int32_t)line[i] * taps[i];
        sum >>= 15;
        out[n] = (int16_t)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
    }
}

int main(void)
{
    enum { N = 256 };
    static const int16_t taps[TAPS] = {-120, 300, -700, 1500, -3000, 6000, 14000, 20000,
                                       20000, 14000, 6000, -3000, 1500, -700, 300, -120};
    static int16_t in[N], out[N];
    int wrong = 0;
    in[3] = -32768;
    for (int i = 64; i < N; i++)
        in[i] = 16384;
    for (int i = 160; i < N; i++)
        in[i] = 32767;
    fir(in, out, taps, N);
    for (int i = 0; i < TAPS; i++)
        wrong += out[3 + i] != -taps[i];
    for (int i = 0, sum = 0; i < 96; i++) {
        sum += i < TAPS ? taps[i] : 0;
        wrong += out[64 + i] != (sum > 65534 ? 32767 : (sum + 1) >> 1);
    }
    wrong += out[N - 1] != 32767;
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
