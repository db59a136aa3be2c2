/* SPDX-License-Identifier: Apache-2.0
 * A filter of finite impulse response, in numbers of 16 bits that stand for -1 to 1 - 2^-15. */
#ifndef FIR_H
#define FIR_H

#include <stddef.h>
#include <stdint.h>

#define FIR_TAPS 8

/* out[i] is the sum of taps[k] * in[i - k], rounded, and the nearest number there is where that is
 * too large. Before in[0] there was nothing but 0. */
void fir(const int16_t *in, int16_t *out, size_t count, const int16_t taps[FIR_TAPS]);

#endif
