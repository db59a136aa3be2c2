/* SPDX-License-Identifier: Apache-2.0 */
/* the filter with its taps and its state */
#include <stdint.h>
struct filter {
    int16_t taps[8], past[7];
};

static int32_t next(struct filter *f, int16_t x)
{
    int32_t sum = x * f->taps[7];
    for (int k = 0; k < 7; k++)
        sum += f->past[k] * f->taps[k];
    for (int k = 0; k < 6; k++)
        f->past[k] = f->past[k + 1];
    f->past[6] = x;
    return sum;
}

void fir(const int16_t *in, const int16_t *taps, int32_t *out)
{
    struct filter f;
    for (int k = 0; k < 8; k++)
        f.taps[k] = taps[k];
    for (int k = 0; k < 7; k++)
        f.past[k] = in[k];
    for (int i = 0; i < 128; i++)
        out[i] = next(&f, in[i + 7]);
}

void call(const void *in, void *out) { fir(in, (const int16_t *)in + 135, out); }
