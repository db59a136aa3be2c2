/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include "../pitch.h"

void stencil7(const int *in, int *out)
{
    for (int z = 1; z < 5; z++)
        for (int y = 1; y < 7; y++)
            for (int x = 1; x < 39; x++) {
                int i = (z * 8 + y) * 41 + x;
                out[i] = in[i - 328] + in[i + 328] + in[i - 41] + in[i + 41] + in[i - 1] + in[i + 1] - 6 * in[i];
            }
}

void call(const void *in, void *out)
{
    int from[48][41] = {0}, to[48][41] = {0};
    copy_rows(from, 41 * 4, in, 40 * 4, 48, 40 * 4);
    stencil7(*from, *to);
    copy_rows(out, 40 * 4, to, 41 * 4, 48, 40 * 4);
}
