// SPDX-License-Identifier: Apache-2.0
// offload: kmp_search
/* Knuth-Morris-Pratt: all (overlapping) matches of a pattern of up to 64 characters. */
#include <stdio.h>
#include <string.h>

#define MAX_PAT 64

static void build_failure(const char *pat, int m, int fail[MAX_PAT])
{
    int k = 0;
    fail[0] = 0;
    for (int i = 1; i < m; i++) {
        while (k > 0 && pat[k] != pat[i])
            k = fail[k - 1];
        if (pat[k] == pat[i])
            k++;
        fail[i] = k;
    }
}

/* returns the number of matches, -1 for a bad pattern length; stops once max positions are stored */
int kmp_search(const char *text, int n, const char *pat, int m, int *pos, int max)
{
    int fail[MAX_PAT];
    int k = 0, found = 0;

    if (m < 1 || m > MAX_PAT)
        return -1;
    build_failure(pat, m, fail);
    for (int i = 0; i < n; i++) {
        while (k > 0 && pat[k] != text[i])
            k = fail[k - 1];
        if (pat[k] == text[i])
            k++;
        if (k == m) {
            if (found == max)
                break;
            pos[found++] = i - m + 1;
            k = fail[k - 1];
        }
    }
    return found;
}

int main(void)
{
    enum { N = 8192, MAX = 600 };
    static const char *const patterns[3] = { "abaabab", "aa", "abcabcabcabacabcab" };
    static char text[N];
    static int pos[MAX];
    unsigned seed = 11;

    for (int i = 0; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = (char)('a' + (seed >> 24) % (i < 4096 ? 2 : 3));
    }
    for (int i = 500; i + 40 < N; i += 1500)            /* long near misses and hits */
        memcpy(text + i, "abcabcabcabcabacabcabcabcabacabcab", 34);
    memcpy(text + N - 18, patterns[2], 18);             /* a match ending at the last character */

    for (int p = 0; p < 3; p++) {
        int m = (int)strlen(patterns[p]);
        int got = kmp_search(text, N, patterns[p], m, pos, MAX);
        int want = 0;
        for (int i = 0; i + m <= N && want < MAX; i++)
            if (memcmp(text + i, patterns[p], (size_t)m) == 0) {
                if (want >= got || pos[want] != i) {
                    printf("pattern %d: match %d at %d not reported\n", p, want, i);
                    return 1;
                }
                want++;
            }
        if (got != want || want == 0) {
            printf("pattern %d: got %d matches, want %d\n", p, got, want);
            return 1;
        }
    }
    printf("ok\n");
    return 0;
}
