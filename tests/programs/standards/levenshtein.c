// SPDX-License-Identifier: Apache-2.0
// offload: levenshtein
// The edit distance of two words, one row of the table at a time: textbook pairs.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST 64

int levenshtein(const char *a, int m, const char *b, int n)
{
    uint8_t row[MOST + 1];
    if (m > MOST || n > MOST)
        return -1;
    for (int j = 0; j <= n; j++)
        row[j] = (uint8_t)j;
    for (int i = 1; i <= m; i++) {
        int corner = row[0];
        row[0] = (uint8_t)i;
        for (int j = 1; j <= n; j++) {
            int above = row[j], left = row[j - 1];
            int best = corner + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            best = left + 1 < best ? left + 1 : best;
            corner = above;
            row[j] = (uint8_t)best;
        }
    }
    return row[n];
}

int main(void)
{
    static const struct { const char *a, *b; int distance; } known[] = {
        {"kitten", "sitting", 3}, {"saturday", "sunday", 3}, {"intention", "execution", 5},
        {"", "abc", 3}, {"flaw", "lawn", 2}, {"rosettacode", "raisethysword", 8}, {"same", "same", 0},
    };
    int wrong = 0;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *a = known[i].a, *b = known[i].b;
        int found = levenshtein(a, (int)strlen(a), b, (int)strlen(b));
        if (found != known[i].distance) {
            printf("%s, %s: %d\n", a, b, found);
            wrong++;
        }
    }
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
