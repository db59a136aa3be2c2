// SPDX-License-Identifier: Apache-2.0
// offload: codec_encode
// flags: -I include
// sources: src/codec.c
// Sound in a quarter of the bytes: the decoder's state follows the encoder's, and the error stays
// within the step. A sample that is just reached is known: 8 / 8 + 8 + 4 + 2 = 15.
#include <codec.h>
#include <stdio.h>

#define COUNT 240

int main(void)
{
    static int16_t in[COUNT], out[COUNT];
    static uint8_t bytes[COUNT / 2];
    codec_t encoder = {0, 0}, decoder = {0, 0};
    int wrong = 0, worst = 0;
    uint32_t sum = 0;
    for (int i = 0; i < COUNT; i++)
        in[i] = (int16_t)(i < 2 ? 100 : (i % 40 - 20) * (i % 40 - 20) * 20 - 4000);
    codec_encode(&encoder, in, bytes, 120);
    codec_encode(&encoder, in + 120, bytes + 60, 120);
    codec_decode(&decoder, bytes, out, COUNT);
    for (int i = 0; i < COUNT; i++) {
        int error = in[i] > out[i] ? in[i] - out[i] : out[i] - in[i];
        worst = i > 60 && error > worst ? error : worst;
        sum = sum * 31 + bytes[i / 2];
    }
    wrong += decoder.predicted != encoder.predicted || decoder.step != encoder.step;
    wrong += (bytes[0] & 15) != 7 || out[0] != 15 || worst > 2000;
    printf("adpcm %08x, worst error %d, %d wrong\n", (unsigned)sum, worst, wrong);
    return wrong != 0;
}
