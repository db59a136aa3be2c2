/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move along two rows */
#include <string.h>

void lu(double *a)
{
    for (int k = 0; k < 24; k++) {
        const double *pivot = a + 25 * k;
        for (int i = k + 1; i < 24; i++) {
            double *to = a + 24 * i + k;
            const double *from = pivot;
            const double factor = *to / *pivot;
            *to++ = factor;
            while (++from != a + 24 * k + 24)
                *to++ -= factor * *from;
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 576 * 8);
    lu(out);
}
