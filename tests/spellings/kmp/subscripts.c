/* SPDX-License-Identifier: Apache-2.0 */
/* while (they differ) fall back, for each character */
#include <stdint.h>
enum { PATTERN = 8, TEXT = 1024 };

int kmp(const uint8_t pattern[PATTERN], const uint8_t text[TEXT])
{
    int border[PATTERN], found = 0;
    border[0] = 0;
    for (int i = 1, k = 0; i < PATTERN; i++) {
        while (k > 0 && pattern[k] != pattern[i])
            k = border[k - 1];
        if (pattern[k] == pattern[i])
            k++;
        border[i] = k;
    }
    for (int i = 0, k = 0; i < TEXT; i++) {
        while (k > 0 && pattern[k] != text[i])
            k = border[k - 1];
        if (pattern[k] == text[i])
            k++;
        if (k == PATTERN) {
            found++;
            k = border[k - 1];
        }
    }
    return found;
}

void call(const void *in, void *out) { *(int *)out = kmp(in, (const uint8_t *)in + PATTERN); }
