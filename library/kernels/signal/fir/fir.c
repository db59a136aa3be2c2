/* SPDX-License-Identifier: Apache-2.0 */
#include "fir.h"

#define FRACTION_BITS 15

static int16_t saturated(int64_t value)
{
    if (value > INT16_MAX)
        return INT16_MAX;
    return value < INT16_MIN ? INT16_MIN : (int16_t)value;
}

/* In hardware the loop over samples is a pipeline that takes one every cycle. Both loops in it are of
 * so few iterations, known beforehand, that they are unrolled: `last` becomes registers, each product
 * a multiplier of its own. */
void fir(const int16_t *in, int16_t *out, size_t count, const int16_t taps[FIR_TAPS])
{
    int16_t last[FIR_TAPS] = {0}; /* the newest sample first */
    for (size_t i = 0; i < count; i++) {
        int64_t sum = 1 << (FRACTION_BITS - 1);
        for (int k = FIR_TAPS - 1; k > 0; k--)
            last[k] = last[k - 1];
        last[0] = in[i];
        for (int k = 0; k < FIR_TAPS; k++)
            sum += (int32_t)taps[k] * last[k];
        out[i] = saturated(sum >> FRACTION_BITS);
    }
}
