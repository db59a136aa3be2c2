/* SPDX-License-Identifier: Apache-2.0 */
/* of a length that the call tells */
#include "../roots.h"

void number_transform(int n, int16_t *r)
{
    int k = 1;
    for (int len = n / 2; len >= 2; len /= 2)
        for (int start = 0; start < n; start += 2 * len) {
            int16_t root = ROOTS[k++];
            for (int j = 0; j < len; j++) {
                int16_t t = times(root, r[start + j + len]);
                r[start + j + len] = r[start + j] - t;
                r[start + j] += t;
            }
        }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 2);
    number_transform(256, out);
}
