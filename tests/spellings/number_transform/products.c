/* SPDX-License-Identifier: Apache-2.0 */
/* groups counted, and where one begins a product */
#include "../roots.h"

#include <stddef.h>

void number_transform(int16_t r[256])
{
    size_t half = 256;
    for (size_t groups = 1; groups < 128; groups <<= 1) {
        half >>= 1;
        for (size_t i = 0; i < groups; i++) {
            size_t first = 2 * i * half, end = first + half;
            int16_t root = ROOTS[groups + i];
            for (size_t j = first; j < end; j++) {
                int16_t u = r[j], v = times(r[j + half], root);
                r[j] = u + v;
                r[j + half] = u - v;
            }
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 2);
    number_transform(out);
}
