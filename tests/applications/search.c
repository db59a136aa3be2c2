// SPDX-License-Identifier: Apache-2.0
// offload: find_all
// observed: word places
// Knuth, Morris and Pratt: the places of a word in a text; against strstr.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 32

size_t find_all(const char *text, size_t length, const char *word, size_t count, uint32_t *places)
{
    uint8_t fail[LONGEST + 1];
    size_t found = 0, k = 0;
    fail[0] = fail[1] = 0;
    for (size_t i = 1; i < count; i++) {
        while (k > 0 && word[k] != word[i])
            k = fail[k];
        if (word[k] == word[i])
            k++;
        fail[i + 1] = (uint8_t)k;
    }
    k = 0;
    for (size_t i = 0; i < length; i++) {
        while (k > 0 && (k == count || word[k] != text[i]))
            k = fail[k];
        if (word[k] == text[i])
            k++;
        if (k == count)
            places[found++] = (uint32_t)(i + 1 - count);
    }
    return found;
}

int main(void)
{
    static const char text[] = "abababcababababcabcababacababcabababcabaababcababcababababababcabababc";
    uint32_t places[100];
    int wrong = 0;
    for (int n = 1; n < 12; n++) {
        size_t found = find_all(text, strlen(text), "ababcababab" + n % 3, 11 - (size_t)(n > 8 ? 8 : n), places);
        char word[12] = "";
        memcpy(word, "ababcababab" + n % 3, 11 - (size_t)(n > 8 ? 8 : n));
        size_t seen = 0;
        for (const char *p = text; (p = strstr(p, word)); p++, seen++)
            wrong += seen >= found || places[seen] != (uint32_t)(p - text);
        wrong += seen != found;
        printf("%zu ", found);
    }
    printf("\n%d wrong\n", wrong);
    return wrong != 0;
}
