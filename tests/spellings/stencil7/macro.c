/* SPDX-License-Identifier: Apache-2.0 */
/* an index by a macro, size_t */
#include <stddef.h>
#define AT(x, y, z) ((x) + 40 * ((y) + 8 * (z)))

void stencil7(const int *in, int *out)
{
    for (size_t z = 1; z < 5; z++)
        for (size_t y = 1; y < 7; y++)
            for (size_t x = 1; x < 39; x++) {
                int sum = in[AT(x, y, z - 1)] + in[AT(x, y, z + 1)];
                sum += in[AT(x, y - 1, z)] + in[AT(x, y + 1, z)];
                sum += in[AT(x - 1, y, z)] + in[AT(x + 1, y, z)];
                out[AT(x, y, z)] = sum - 6 * in[AT(x, y, z)];
            }
}

void call(const void *in, void *out) { stencil7(in, out); }
