// SPDX-License-Identifier: Apache-2.0
// offload: fourier_q15
/* A Fourier transform of 64 points in 16 bits, in place. */
#include <stdint.h>
#define N 64

static const int16_t wave[N] = {
    0, 3212, 6393, 9512, 12539, 15446, 18204, 20787, 23170, 25329, 27245, 28898, 30273, 31356, 32137, 32609,
    32767, 32609, 32137, 31356, 30273, 28898, 27245, 25329, 23170, 20787, 18204, 15446, 12539, 9512, 6393, 3212,
    0, -3212, -6393, -9512, -12539, -15446, -18204, -20787, -23170, -25329, -27245, -28898, -30273, -31356, -32137, -32609,
    -32767, -32609, -32137, -31356, -30273, -28898, -27245, -25329, -23170, -20787, -18204, -15446, -12539, -9512, -6393, -3212};

void fourier_q15(int16_t re[N], int16_t im[N])
{
    for (int i = 1, j = 0; i < N; i++) {
        int bit = N >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            int16_t t = re[i]; re[i] = re[j]; re[j] = t;
            t = im[i]; im[i] = im[j]; im[j] = t;
        }
    }
    for (int half = 1, step = N / 2; half < N; half <<= 1, step >>= 1)
        for (int k = 0; k < half; k++) {
            int32_t c = wave[(k * step + N / 4) & (N - 1)], s = -wave[k * step];
            for (int i = k; i < N; i += 2 * half) {
                int32_t tr = (c * re[i + half] - s * im[i + half]) >> 15;
                int32_t ti = (c * im[i + half] + s * re[i + half]) >> 15;
                re[i + half] = (re[i] - tr) >> 1;
                im[i + half] = (im[i] - ti) >> 1;
                re[i] = (re[i] + tr) >> 1;
                im[i] = (im[i] + ti) >> 1;
            }
        }
}
