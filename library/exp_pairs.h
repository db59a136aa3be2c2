/* SPDX-License-Identifier: Apache-2.0
 * e^x of many numbers, two at a time: two units side by side, a record of 16 bytes a cycle. */
#ifndef EXP_PAIRS_H
#define EXP_PAIRS_H

#include <stddef.h>

/* out[i] = exp(in[i]) for i from 0 to 2 * pairs - 1, each within 0.51 ulp. */
void exp_pairs(const double *in, double *out, size_t pairs);

#endif
