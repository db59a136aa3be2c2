/* SPDX-License-Identifier: Apache-2.0 */
/* `while` loops, and numbers of a byte's size */
#include "../roots.h"

void number_transform(int16_t r[256])
{
    uint8_t len = 128, k = 1;
    while (len != 1) {
        uint16_t j = 0;
        while (j < 256) {
            uint16_t end = j + len;
            int16_t root = ROOTS[k++];
            while (j != end) {
                int16_t t = times(root, r[j + len]);
                r[j + len] = r[j] - t;
                r[j] += t;
                j++;
            }
            j += len;
        }
        len >>= 1;
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 2);
    number_transform(out);
}
