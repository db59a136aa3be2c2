// SPDX-License-Identifier: Apache-2.0
// offload: hex_decode
// observed: text out
// Hexadecimal text to bytes, upper and lower case; stops at anything else. RFC 4648, section 10.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int hex_decode(const char *text, uint8_t *out)
{
    int n = 0;
    while (text[2 * n] != '\0') {
        int high = digit(text[2 * n]);
        int low = digit(text[2 * n + 1]);
        if (high < 0 || low < 0)
            return -1;
        out[n++] = (uint8_t)(high << 4 | low);
    }
    return n;
}

int main(void)
{
    uint8_t bytes[100];
    char text[201] = "";
    int n = hex_decode("666F6f626172", bytes), wrong = n != 6 || memcmp(bytes, "foobar", 6) != 0;
    printf("%.*s\n", n, (char *)bytes);
    wrong += hex_decode("", bytes) != 0;
    wrong += hex_decode("0g", bytes) != -1;
    wrong += hex_decode("123", bytes) != -1;
    for (int i = 0; i < 100; i++)
        sprintf(text + 2 * i, i % 2 ? "%02x" : "%02X", i * 37 & 255);
    wrong += hex_decode(text, bytes) != 100;
    for (int i = 0; i < 100; i++)
        wrong += bytes[i] != (i * 37 & 255);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
