// SPDX-License-Identifier: Apache-2.0
#include "wave.h"

void wave_make(int16_t *out, size_t count)
{
    int32_t position = 0, speed = 900;
    for (size_t i = 0; i < count; i++) {
        position += speed;
        speed -= position / 16;
        out[i] = (int16_t)(position + (int32_t)(i * 7919 % 301));
    }
}
