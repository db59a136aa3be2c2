/* SPDX-License-Identifier: Apache-2.0 */
/* the factor in a variable, counters without a sign */
#include <string.h>

void lu(double a[24][24])
{
    for (unsigned k = 0; k < 23; k++) {
        const double pivot = a[k][k];
        for (unsigned i = k + 1; i < 24; i++) {
            const double factor = a[i][k] / pivot;
            a[i][k] = factor;
            for (unsigned j = k + 1; j < 24; j++)
                a[i][j] = a[i][j] - factor * a[k][j];
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 576 * 8);
    lu(out);
}
