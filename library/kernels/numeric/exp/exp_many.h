/* SPDX-License-Identifier: Apache-2.0
 * e^x of many numbers, each within 0.51 ulp. */
#ifndef EXP_MANY_H
#define EXP_MANY_H

#include <stddef.h>

/* out[i] = exp(in[i]) for i from 0 to count - 1: one unit, a number a cycle. */
void exp_many(const double *in, double *out, size_t count);

/* The same of 2 * pairs numbers: two units side by side, a record of 16 bytes a cycle. */
void exp_pairs(const double *in, double *out, size_t pairs);

#endif
