/* SPDX-License-Identifier: Apache-2.0 */
/* the root's number goes up before it is used */
#include "../roots.h"

void number_transform(int16_t r[256])
{
    unsigned k = 0, len, start, j;
    for (len = 128; len > 1; len >>= 1) {
        for (start = 0; start < 256; start = j + len) {
            int32_t root = ROOTS[++k];
            for (j = start; j < start + len; ++j) {
                int16_t t = times(root, r[j + len]);
                r[j + len] = r[j] - t;
                r[j] = r[j] + t;
            }
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 2);
    number_transform(out);
}
