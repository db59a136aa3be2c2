/* SPDX-License-Identifier: Apache-2.0 */
/* lengths that the call tells */
#include <stdint.h>

int distance(int m, int n, const uint8_t a[m], const uint8_t b[n], int d[m + 1][n + 1])
{
    for (int i = 0; i <= m; i++)
        d[i][0] = i;
    for (int j = 0; j <= n; j++)
        d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

void call(const void *in, void *out)
{
    int d[25][25];
    *(int *)out = distance(24, 24, in, (const uint8_t *)in + 24, d);
}
