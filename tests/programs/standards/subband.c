// SPDX-License-Identifier: Apache-2.0
// offload: encode
// A sub-band coder in the manner of G.722: a quadrature mirror filter of 24 taps (its table 11) splits
// the samples, each band is coded by ADPCM, six bits low and two high. Decoded, a tone in the low band
// comes back.
#include <stdint.h>
#include <stdio.h>

#define SAMPLES 512

struct band {
    int32_t predicted, step;
};

static const int16_t filter[24] = {3,   -11, -11, 53,  12,  -156, 32,  362, -210, -805, 951, 3876,
                                   3876, 951, -805, -210, 362, 32,  -156, 12,  53,  -11,  -11, 3};

static int32_t limited(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* One step of a coder with codes from -top - 1 to top; the decoder takes it too. */
static void follow(struct band *band, int code, int top)
{
    int size = code < 0 ? ~code : code;
    band->predicted = limited(band->predicted + (2 * code + 1) * band->step / 2, -32768, 32767);
    band->step = limited(2 * size > top ? band->step + (band->step >> 2) + 1
                                        : band->step - (band->step >> 4), 4, 2048);
}

static int quantised(struct band *band, int32_t sample, int top)
{
    int32_t difference = sample - band->predicted, size = difference < 0 ? ~difference : difference;
    int code = 0;
    while (code < top && size >= (code + 1) * band->step)
        code++;
    return difference < 0 ? ~code : code;
}

void encode(const int16_t *in, uint8_t *out, int samples)
{
    int16_t line[24] = {0};
    struct band low = {0, 16}, high = {0, 16};
    for (int n = 0; n < samples; n += 2) {
        int32_t even = 0, odd = 0;
        for (int i = 23; i > 1; i--)
            line[i] = line[i - 2];
        line[1] = in[n];
        line[0] = in[n + 1];
        for (int i = 0; i < 24; i += 2) {
            even += line[i] * filter[i];
            odd += line[i + 1] * filter[i + 1];
        }
        int low_code = quantised(&low, (even + odd) >> 13, 31);
        int high_code = quantised(&high, (even - odd) >> 13, 1);
        follow(&low, low_code, 31);
        follow(&high, high_code, 1);
        out[n / 2] = (uint8_t)((high_code & 3) << 6 | (low_code & 63));
    }
}

int main(void)
{
    static int16_t in[SAMPLES];
    static uint8_t out[SAMPLES / 2];
    struct band band = {0, 16};
    int32_t position = 0, speed = 900, sum = 0;
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++) { /* a tone of some 37 samples a turn */
        speed -= position * 29 / 1000;
        position += speed;
        in[i] = (int16_t)position;
    }
    encode(in, out, SAMPLES);
    for (int n = 0; n < SAMPLES / 2; n++) {
        int code = (out[n] & 31) - (out[n] & 32);
        follow(&band, code, 31);
        /* The filter's middle is 11.5 samples ago; n's newest sample is 2 n + 1. */
        if (n >= 30) {
            int middle = (in[2 * n - 10] + in[2 * n - 11]) / 2, off = band.predicted - middle;
            sum += off < 0 ? -off : off;
        }
    }
    wrong += sum / (SAMPLES / 2 - 30) > 150;
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
