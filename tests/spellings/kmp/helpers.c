/* SPDX-License-Identifier: Apache-2.0 */
/* one function that makes a step, for the pattern and for the text */
#include <stddef.h>
#include <stdint.h>
enum { PATTERN = 8, TEXT = 1024 };
struct search {
    const uint8_t *pattern;
    size_t border[PATTERN + 1];
};

static size_t step(const struct search *s, size_t matched, uint8_t c)
{
    while (s->pattern[matched] != c) {
        if (matched == 0)
            return 0;
        matched = s->border[matched];
    }
    return matched + 1;
}

int kmp(const uint8_t *pattern, const uint8_t *text)
{
    struct search s = {pattern, {0}};
    size_t matched = 0;
    int found = 0;
    for (size_t i = 1; i < PATTERN; i++)
        s.border[i + 1] = matched = step(&s, matched, pattern[i]);
    matched = 0;
    for (size_t i = 0; i < TEXT; i++) {
        matched = step(&s, matched, text[i]);
        if (matched == PATTERN) {
            found++;
            matched = s.border[PATTERN];
        }
    }
    return found;
}

void call(const void *in, void *out) { *(int *)out = kmp(in, (const uint8_t *)in + PATTERN); }
