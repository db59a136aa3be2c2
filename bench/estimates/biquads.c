// SPDX-License-Identifier: Apache-2.0
// offload: biquads
/* A cascade of four filters of second order, of 16 bits, each with its state. */
#include <stdint.h>
#define STAGES 4

void biquads(const int16_t *in, int16_t *out, int n, const int16_t coefficients[STAGES][5])
{
    int32_t state[STAGES][2] = {{0}};
    for (int i = 0; i < n; i++) {
        int32_t x = in[i];
        for (int s = 0; s < STAGES; s++) {
            const int16_t *c = coefficients[s];
            int32_t y = (c[0] * x + state[s][0]) >> 14;
            y = y > 32767 ? 32767 : y < -32768 ? -32768 : y;
            state[s][0] = c[1] * x - c[3] * y + state[s][1];
            state[s][1] = c[2] * x - c[4] * y;
            x = y;
        }
        out[i] = x;
    }
}
