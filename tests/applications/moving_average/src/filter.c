// SPDX-License-Identifier: Apache-2.0
#include "filter.h"

void filter_run(struct filter *filter, const int16_t *in, int16_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        filter->sum += in[i] - filter->history[filter->position];
        filter->history[filter->position] = in[i];
        filter->position = (filter->position + 1) % TAPS;
        out[i] = (int16_t)(filter->sum / TAPS);
    }
}
