/* SPDX-License-Identifier: Apache-2.0 */
#include "exp_pairs.h"

#include <math.h>

void exp_pairs(const double *in, double *out, size_t pairs)
{
    for (size_t i = 0; i < pairs; i++) {
        out[2 * i] = exp(in[2 * i]);
        out[2 * i + 1] = exp(in[2 * i + 1]);
    }
}
