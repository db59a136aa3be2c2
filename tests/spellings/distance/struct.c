/* SPDX-License-Identifier: Apache-2.0 */
/* words and matrix in a struct, do and while */
#include <stdint.h>
#include <string.h>
struct words {
    uint8_t a[24], b[24];
    int d[25][25];
};

int distance(struct words *w)
{
    int i = 0, j = 0;
    do
        w->d[i][0] = w->d[0][i] = i;
    while (++i <= 24);
    i = 1;
    do {
        j = 1;
        do {
            int best = w->d[i - 1][j - 1] + (w->a[i - 1] != w->b[j - 1]);
            if (w->d[i - 1][j] + 1 < best)
                best = w->d[i - 1][j] + 1;
            if (w->d[i][j - 1] + 1 < best)
                best = w->d[i][j - 1] + 1;
            w->d[i][j] = best;
        } while (++j <= 24);
    } while (++i <= 24);
    return w->d[24][24];
}

void call(const void *in, void *out)
{
    struct words words;
    memcpy(&words, in, 48);
    *(int *)out = distance(&words);
}
