/* SPDX-License-Identifier: Apache-2.0 */
/* one row, what was above and left of an element in a variable */
#include <stdint.h>

int distance(const uint8_t a[24], const uint8_t b[24])
{
    int row[25];
    for (int j = 0; j <= 24; j++)
        row[j] = j;
    for (int i = 1; i <= 24; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= 24; j++) {
            int best = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (corner + 1 < best)
                best = corner + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[24];
}

void call(const void *in, void *out) { *(int *)out = distance(in, (const uint8_t *)in + 24); }
