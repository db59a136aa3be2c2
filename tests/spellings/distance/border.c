/* SPDX-License-Identifier: Apache-2.0 */
/* the border is made by tests inside of the loops */
#include <stdint.h>

static int least(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

int distance(const uint8_t a[24], const uint8_t b[24], int d[25][25])
{
    for (int i = 0; i <= 24; i++)
        for (int j = 0; j <= 24; j++) {
            if (i == 0)
                d[i][j] = j;
            else if (j == 0)
                d[i][j] = i;
            else if (a[i - 1] == b[j - 1])
                d[i][j] = d[i - 1][j - 1];
            else
                d[i][j] = 1 + least(d[i - 1][j - 1], d[i - 1][j], d[i][j - 1]);
        }
    return d[24][24];
}

void call(const void *in, void *out)
{
    int d[25][25];
    *(int *)out = distance(in, (const uint8_t *)in + 24, d);
}
