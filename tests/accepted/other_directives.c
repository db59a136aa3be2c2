/* SPDX-License-Identifier: Apache-2.0 */
/* directives as Vitis HLS and Impulse C have them; what does nothing here is told */
/* offload: top */
#include <stdint.h>
#include <stdio.h>

#define TAPS 8
#define PRAGMA(words) _Pragma(#words)
#define FULLY(words) PRAGMA(words)

static int32_t weigh(int32_t sample, int32_t weight)
{
#pragma HLS INLINE
    return sample * weight;
}

void top(const int32_t in[256], int32_t out[256], const int32_t weights[TAPS], uint32_t n)
{
#pragma HLS INTERFACE m_axi port = in depth = 256
    int32_t line[TAPS] = {0};
#pragma HLS ARRAY_PARTITION variable = line complete dim = 1
samples:
    for (uint32_t i = 0; i < n && i < 256; i++) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 256
#pragma HLS PIPELINE
        int32_t sum = 0;
        for (int t = TAPS - 1; t > 0; t--) {
            FULLY(HLS UNROLL)
            line[t] = line[t - 1];
        }
        line[0] = in[i];
        for (int t = 0; t < TAPS; t++) {
#pragma CO UNROLL
#pragma CO SET stageDelay 32
            sum += weigh(line[t], weights[t]);
        }
        out[i] = sum;
    }
}

int main(void)
{
    int32_t in[256], out[256], weights[TAPS] = {1, -2, 3, -4, 5, -6, 7, -8}, wrong = 0;
    for (int i = 0; i < 256; i++)
        in[i] = i * i - 77 * i;
    top(in, out, weights, 200);
    for (int i = 0; i < 200; i++) {
        int32_t sum = 0;
        for (int t = 0; t < TAPS && t <= i; t++)
            sum += in[i - t] * weights[t];
        wrong += sum != out[i];
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
