// SPDX-License-Identifier: Apache-2.0
#include "codec.h"

static const int8_t change[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

static const uint16_t steps[32] = {
    8,   10,  13,  16,  20,  25,  32,   40,   50,   63,   80,   100,  126,  160,  200,  252,
    320, 400, 504, 640, 800, 1008, 1270, 1600, 2016, 2540, 3200, 4032, 5080, 6400, 8063, 10159,
};

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static void advance(codec_t *state, unsigned code)
{
    int step = steps[state->step], delta = step >> 3;
    if (code & 4)
        delta += step;
    if (code & 2)
        delta += step >> 1;
    if (code & 1)
        delta += step >> 2;
    if (code & 8)
        delta = -delta;
    state->predicted = (int16_t)clamp(state->predicted + delta, -32768, 32767);
    state->step = (uint8_t)clamp(state->step + change[code & 7], 0, 31);
}

static unsigned encode(codec_t *state, int sample)
{
    int difference = sample - state->predicted, step = steps[state->step];
    unsigned code = 0;
    if (difference < 0) {
        code = 8;
        difference = -difference;
    }
    for (unsigned bit = 4; bit; bit >>= 1) {
        if (difference >= step) {
            code |= bit;
            difference -= step;
        }
        step >>= 1;
    }
    advance(state, code);
    return code;
}

void codec_encode(codec_t *state, const int16_t *samples, uint8_t *out, size_t count)
{
    for (size_t i = 0; i < count; i += 2) {
        unsigned low = encode(state, samples[i]);
        unsigned high = encode(state, samples[i + 1]);
        *out++ = (uint8_t)(low | high << 4);
    }
}

void codec_decode(codec_t *state, const uint8_t *in, int16_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        advance(state, in[i / 2] >> (i & 1 ? 4 : 0) & 15);
        samples[i] = state->predicted;
    }
}
