/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move on, borders as pointers into the pattern */
#include <stdint.h>
enum { PATTERN = 8, TEXT = 1024 };

int kmp(const uint8_t *pattern, const uint8_t *text)
{
    const uint8_t *border[PATTERN + 1], *const end = text + TEXT, *at = pattern;
    int found = 0;
    border[0] = border[1] = pattern;
    for (const uint8_t *p = pattern + 1; p < pattern + PATTERN; p++) {
        while (at > pattern && *at != *p)
            at = border[at - pattern];
        if (*at == *p)
            at++;
        border[p - pattern + 1] = at;
    }
    at = pattern;
    while (text < end) {
        uint8_t c = *text++;
        while (at > pattern && *at != c)
            at = border[at - pattern];
        if (*at == c && ++at == pattern + PATTERN) {
            found++;
            at = border[PATTERN];
        }
    }
    return found;
}

void call(const void *in, void *out) { *(int *)out = kmp(in, (const uint8_t *)in + PATTERN); }
