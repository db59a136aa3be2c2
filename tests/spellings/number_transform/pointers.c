/* SPDX-License-Identifier: Apache-2.0 */
/* a pointer into each half */
#include "../roots.h"

void number_transform(int16_t r[256])
{
    const int16_t *root = ROOTS + 1;
    for (int len = 128; len >= 2; len >>= 1) {
        int16_t *low = r;
        while (low < r + 256) {
            int16_t *high = low + len;
            for (int left = len; left > 0; left--) {
                int16_t t = times(*root, *high);
                *high++ = *low - t;
                *low++ += t;
            }
            root++;
            low = high;
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 2);
    number_transform(out);
}
