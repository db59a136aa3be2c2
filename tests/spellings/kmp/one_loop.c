/* SPDX-License-Identifier: Apache-2.0 */
/* one loop each, in which either the text or the pattern moves on */
#include <stdint.h>
enum { PATTERN = 8, TEXT = 1024 };

int kmp(const uint8_t *pattern, const uint8_t *text)
{
    uint8_t border[PATTERN];
    int found = 0, i = 1, k = 0;
    border[0] = 0;
    while (i < PATTERN) {
        if (pattern[i] == pattern[k])
            border[i++] = ++k;
        else if (k != 0)
            k = border[k - 1];
        else
            border[i++] = 0;
    }
    i = k = 0;
    while (i < TEXT) {
        if (text[i] == pattern[k]) {
            i++;
            if (++k == PATTERN) {
                found++;
                k = border[k - 1];
            }
        } else if (k != 0)
            k = border[k - 1];
        else
            i++;
    }
    return found;
}

void call(const void *in, void *out) { *(int *)out = kmp(in, (const uint8_t *)in + PATTERN); }
