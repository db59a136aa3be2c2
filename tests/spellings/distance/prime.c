/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include <stdint.h>

int distance(const uint8_t *a, const uint8_t *b, int *d)
{
    for (int i = 0; i <= 24; i++)
        d[29 * i] = i;
    for (int j = 0; j <= 24; j++)
        d[j] = j;
    for (int i = 1; i <= 24; i++)
        for (int j = 1; j <= 24; j++) {
            int best = d[29 * (i - 1) + j - 1] + (a[i - 1] != b[j - 1]);
            if (d[29 * (i - 1) + j] + 1 < best)
                best = d[29 * (i - 1) + j] + 1;
            if (d[29 * i + j - 1] + 1 < best)
                best = d[29 * i + j - 1] + 1;
            d[29 * i + j] = best;
        }
    return d[29 * 24 + 24];
}

void call(const void *in, void *out)
{
    int d[25 * 29];
    *(int *)out = distance(in, (const uint8_t *)in + 24, d);
}
