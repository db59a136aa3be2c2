/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* loops whose calls run beside each other, each for another iteration (`#pragma tandem dataflow`, `#pragma HLS dataflow`) */
#include <stdint.h>
#include <stdio.h>

#define N 64

static void load(const int16_t *in, uint32_t frame, int16_t raw[N])
{
    for (int i = 0; i < N; i++)
        raw[i] = in[frame * N + i];
}

static void smooth(const int16_t raw[N], int32_t *state, int32_t out[N], int32_t *peak)
{
    int32_t value = *state, highest = INT32_MIN;
    for (int i = 0; i < N; i++) {
        value += (raw[i] * 16 - value) >> 2;
        out[i] = value;
        highest = value > highest ? value : highest;
    }
    *state = value;
    *peak = highest;
}

static void count(const int16_t raw[N], uint8_t bins[16])
{
    for (int i = 0; i < 16; i++)
        bins[i] = 0;
    for (int i = 0; i < N; i++)
        bins[raw[i] & 15]++;
}

static void store(const int32_t smoothed[N], const uint8_t bins[16], const int32_t *peak, uint32_t frame,
                  int32_t *out)
{
    for (int i = 0; i < N; i++)
        out[frame * N + i] = *peak - smoothed[i] + bins[i & 15];
}

void top(const int16_t *in, int32_t *out, uint32_t frames)
{
    int32_t state = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
#pragma HLS dataflow
        int16_t raw[N];
        int32_t smoothed[N], peak;
        uint8_t bins[16];
        load(in, frame, raw);
        smooth(raw, &state, smoothed, &peak);
        count(raw, bins);
        store(smoothed, bins, &peak, frame, out);
    }
}

int main(void)
{
    static int16_t in[5 * N];
    static int32_t out[5 * N];
    int32_t sum = 0;
    for (int i = 0; i < 5 * N; i++)
        in[i] = (int16_t)(i * 7919 % 2003 - 1000);
    top(in, out, 5);
    for (int i = 0; i < 5 * N; i++)
        sum = sum * 31 + out[i];
    printf("%d\n", sum);
    return 0;
}
