// SPDX-License-Identifier: Apache-2.0
#ifndef FILTER_H
#define FILTER_H

#include <stddef.h>
#include <stdint.h>

#ifndef TAPS
#error "give -DTAPS=N"
#endif

struct filter {
    int16_t history[TAPS];
    unsigned position;
    int32_t sum;
};

/* The mean of the last TAPS samples, for each sample. */
void filter_run(struct filter *filter, const int16_t *in, int16_t *out, size_t count);

#endif
