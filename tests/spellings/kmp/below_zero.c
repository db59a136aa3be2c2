/* SPDX-License-Identifier: Apache-2.0 */
/* the border of nothing is -1; where falling back would fail again it goes further at once */
#include <stdint.h>
enum { PATTERN = 8, TEXT = 1024 };

int kmp(const uint8_t pattern[PATTERN], const uint8_t text[TEXT])
{
    int8_t next[PATTERN + 1];
    int found = 0, k = -1;
    next[0] = -1;
    for (int i = 1; i <= PATTERN; i++) {
        k++;
        next[i] = i < PATTERN && pattern[i] == pattern[k] ? next[k] : k;
        while (i < PATTERN && k >= 0 && pattern[i] != pattern[k])
            k = next[k];
    }
    k = 0;
    for (int i = 0; i < TEXT; i++) {
        while (k >= 0 && pattern[k] != text[i])
            k = next[k];
        if (++k == PATTERN) {
            found++;
            k = next[PATTERN];
        }
    }
    return found;
}

void call(const void *in, void *out) { *(int *)out = kmp(in, (const uint8_t *)in + PATTERN); }
