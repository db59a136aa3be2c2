/* SPDX-License-Identifier: Apache-2.0 */
/* all elements are visited, what is done with them is chosen */
#include <string.h>

void lu(double a[24][24])
{
    for (int k = 0; k < 24; k++)
        for (int i = 0; i < 24; i++) {
            if (i <= k)
                continue;
            double factor = a[i][k] / a[k][k];
            a[i][k] = factor;
            for (int j = 0; j < 24; j++) {
                if (j <= k)
                    continue;
                a[i][j] -= factor * a[k][j];
            }
        }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 576 * 8);
    lu(out);
}
