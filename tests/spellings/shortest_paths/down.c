/* SPDX-License-Identifier: Apache-2.0 */
/* rows and columns are counted down */
#include <string.h>

void shortest_paths(int d[28][28])
{
    for (int k = 0; k < 28; k++)
        for (short i = 27; i >= 0; i--)
            for (short j = 27; j >= 0; j--)
                if (d[i][k] + d[k][j] < d[i][j])
                    d[i][j] = d[i][k] + d[k][j];
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
