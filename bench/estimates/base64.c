// SPDX-License-Identifier: Apache-2.0
// offload: base64
/* Bytes as text of 64 characters, with `=` at the end. */
#include <stdint.h>

static char letter(uint32_t six)
{
    if (six < 26)
        return 'A' + six;
    if (six < 52)
        return 'a' + six - 26;
    if (six < 62)
        return '0' + six - 52;
    return six == 62 ? '+' : '/';
}

int base64(const uint8_t *in, int n, char *out)
{
    int at = 0;
    for (int i = 0; i < n; i += 3) {
        int left = n - i;
        uint32_t three = in[i] << 16 | (left > 1 ? in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        out[at++] = letter(three >> 18);
        out[at++] = letter(three >> 12 & 63);
        out[at++] = left > 1 ? letter(three >> 6 & 63) : '=';
        out[at++] = left > 2 ? letter(three & 63) : '=';
    }
    return at;
}
