// SPDX-License-Identifier: Apache-2.0
// offload: rle_compress
// observed: in out
// Pairs of (length, byte), as many as there are; what comes out is unpacked again.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t rle_compress(const uint8_t *in, size_t length, uint8_t *out)
{
    size_t written = 0, i = 0;
    while (i < length) {
        uint8_t value = in[i];
        size_t run = 1;
        while (i + run < length && run < 255 && in[i + run] == value)
            run++;
        out[written++] = (uint8_t)run;
        out[written++] = value;
        i += run;
    }
    return written;
}

static size_t expand(const uint8_t *in, size_t length, uint8_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i += 2)
        for (int k = 0; k < in[i]; k++)
            out[n++] = in[i + 1];
    return n;
}

int main(void)
{
    static uint8_t data[900], packed[1800], again[900];
    for (int i = 0; i < 900; i++)
        data[i] = (uint8_t)(i < 400 ? 7 : i < 600 ? i / 13 : i);
    size_t size = rle_compress(data, 900, packed);
    int wrong = expand(packed, size, again) != 900 || memcmp(data, again, 900) != 0;
    wrong += packed[0] != 255 || packed[2] != 145 || packed[3] != 7;
    wrong += rle_compress(data, 0, packed) != 0;
    printf("%zu bytes, %d wrong\n", size, wrong);
    return wrong != 0;
}
