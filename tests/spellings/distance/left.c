/* SPDX-License-Identifier: Apache-2.0 */
/* what is left of an element in a variable, short numbers, while */
#include <stdint.h>

int distance(const uint8_t *a, const uint8_t *b, short d[25][25])
{
    short j = 0;
    while (j < 25) {
        d[0][j] = j;
        j++;
    }
    short i = 1;
    while (i < 25) {
        short left = i, corner = i - 1;
        d[i][0] = i;
        for (j = 1; j < 25; j++) {
            short above = d[i - 1][j];
            short best = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
            best = above + 1 < best ? above + 1 : best;
            left = left + 1 < best ? left + 1 : best;
            d[i][j] = left;
            corner = above;
        }
        i++;
    }
    return d[24][24];
}

void call(const void *in, void *out)
{
    short d[25][25];
    *(int *)out = distance(in, (const uint8_t *)in + 24, d);
}
