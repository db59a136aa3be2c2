// SPDX-License-Identifier: Apache-2.0
// offload: echo
/* A filter that learns: sixteen taps whose weights follow the error. */
#include <stdint.h>
#define TAPS 16

void echo(const int16_t *far, const int16_t *near, int16_t *out, int n)
{
    int16_t history[TAPS] = {0};
    int32_t weight[TAPS] = {0};
    for (int i = 0; i < n; i++) {
        for (int k = TAPS - 1; k > 0; k--)
            history[k] = history[k - 1];
        history[0] = far[i];
        int32_t guess = 0;
        for (int k = 0; k < TAPS; k++)
            guess += (weight[k] >> 16) * history[k] >> 8;
        int32_t error = near[i] - guess;
        out[i] = error;
        for (int k = 0; k < TAPS; k++)
            weight[k] += error * history[k] >> 4;
    }
}
