/* SPDX-License-Identifier: Apache-2.0 */
#include "exp_many.h"

#include <math.h>

void exp_many(const double *in, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = exp(in[i]);
}

void exp_pairs(const double *in, double *out, size_t pairs)
{
    for (size_t i = 0; i < pairs; i++) {
        out[2 * i] = exp(in[2 * i]);
        out[2 * i + 1] = exp(in[2 * i + 1]);
    }
}
