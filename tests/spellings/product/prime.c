/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include "../pitch.h"

void product(const int *a, const int *b, int *c)
{
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) {
            int sum = 0;
            for (int k = 0; k < 20; k++)
                sum += a[i * 23 + k] * b[k * 23 + j];
            c[i * 23 + j] = sum;
        }
}

void call(const void *in, void *out)
{
    int from[40][23] = {0}, to[20][23] = {0};
    copy_rows(from, 23 * 4, in, 20 * 4, 40, 20 * 4);
    product(from[0], from[20], *to);
    copy_rows(out, 20 * 4, to, 23 * 4, 20, 20 * 4);
}
