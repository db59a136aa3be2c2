/* SPDX-License-Identifier: Apache-2.0 */
/* numbers with a sign, and steps of two halves */
#include "../roots.h"

void number_transform(int16_t r[256])
{
    int k = 1;
    for (int len = 128; len >= 2; len /= 2)
        for (int start = 0; start < 256; start += 2 * len) {
            int16_t root = ROOTS[k++];
            for (int j = start; j < start + len; j++) {
                int16_t t = times(root, r[j + len]);
                r[j + len] = r[j] - t;
                r[j] = r[j] + t;
            }
        }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 2);
    number_transform(out);
}
