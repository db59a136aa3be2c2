// SPDX-License-Identifier: Apache-2.0
#ifndef WAVE_H
#define WAVE_H

#include <stddef.h>
#include <stdint.h>

void wave_make(int16_t *out, size_t count);

#endif
