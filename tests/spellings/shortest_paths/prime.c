/* SPDX-License-Identifier: Apache-2.0 */
/* flat, rows of a prime */
#include "../pitch.h"

void shortest_paths(int *d)
{
    for (int k = 0; k < 28; k++)
        for (int i = 0; i < 28; i++)
            for (int j = 0; j < 28; j++) {
                int through = d[i * 29 + k] + d[k * 29 + j];
                if (through < d[i * 29 + j])
                    d[i * 29 + j] = through;
            }
}

void call(const void *in, void *out)
{
    int d[28][29] = {0};
    copy_rows(d, 29 * 4, in, 28 * 4, 28, 28 * 4);
    shortest_paths(*d);
    copy_rows(out, 28 * 4, d, 29 * 4, 28, 28 * 4);
}
