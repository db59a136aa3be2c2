/* SPDX-License-Identifier: Apache-2.0 */
/* the lesser is always stored */
#include <string.h>

void shortest_paths(int d[28][28])
{
    for (int k = 0; k < 28; k++)
        for (int i = 0; i < 28; i++)
            for (int j = 0; j < 28; j++) {
                int through = d[i][k] + d[k][j];
                d[i][j] = through < d[i][j] ? through : d[i][j];
            }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
