// SPDX-License-Identifier: Apache-2.0
#ifndef CODEC_H
#define CODEC_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int16_t predicted;
    uint8_t step;
} codec_t;

/* Four bits a sample, two samples a byte, the first in the lower half; `count` is even. */
void codec_encode(codec_t *state, const int16_t *samples, uint8_t *out, size_t count);
void codec_decode(codec_t *state, const uint8_t *in, int16_t *samples, size_t count);

#endif
