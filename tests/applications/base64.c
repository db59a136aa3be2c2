// SPDX-License-Identifier: Apache-2.0
// offload: base64_encode
// observed: in out
// The test vectors of RFC 4648, section 10, and longer ones against a bitwise encoder.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_encode(const uint8_t *in, size_t length, char *out)
{
    size_t i, o = 0;
    for (i = 0; i + 2 < length; i += 3) {
        out[o++] = alphabet[in[i] >> 2];
        out[o++] = alphabet[(in[i] & 3) << 4 | in[i + 1] >> 4];
        out[o++] = alphabet[(in[i + 1] & 15) << 2 | in[i + 2] >> 6];
        out[o++] = alphabet[in[i + 2] & 63];
    }
    if (i < length) {
        out[o++] = alphabet[in[i] >> 2];
        if (i + 1 < length) {
            out[o++] = alphabet[(in[i] & 3) << 4 | in[i + 1] >> 4];
            out[o++] = alphabet[(in[i + 1] & 15) << 2];
        } else {
            out[o++] = alphabet[(in[i] & 3) << 4];
            out[o++] = '=';
        }
        out[o++] = '=';
    }
    out[o] = 0;
    return o;
}

static int is_right(const uint8_t *in, size_t length, const char *out)
{
    for (size_t c = 0; 6 * c < 8 * length; c++) {
        int value = 0;
        for (size_t bit = 6 * c; bit < 6 * c + 6; bit++)
            value = 2 * value + (bit < 8 * length ? in[bit / 8] >> (7 - bit % 8) & 1 : 0);
        if (out[c] != alphabet[value])
            return 0;
    }
    return strlen(out) == (length + 2) / 3 * 4;
}

int main(void)
{
    static const char *const known[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    uint8_t data[200];
    char text[300];
    int wrong = 0;
    for (size_t n = 0; n <= 6; n++) {
        size_t length = base64_encode((const uint8_t *)"foobar", n, text);
        wrong += strcmp(text, known[n]) != 0 || length != strlen(known[n]);
    }
    for (int i = 0; i < 200; i++)
        data[i] = (uint8_t)(i * 151 + i / 7);
    for (size_t n = 190; n <= 200; n += 5) {
        base64_encode(data, n, text);
        wrong += !is_right(data, n, text);
    }
    printf("%s\n%d wrong\n", text, wrong);
    return wrong != 0;
}
