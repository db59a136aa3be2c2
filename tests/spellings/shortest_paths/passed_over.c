/* SPDX-License-Identifier: Apache-2.0 */
/* what cannot become shorter is passed over */
#include <string.h>

void shortest_paths(int d[28][28])
{
    for (int k = 0; k < 28; k++)
        for (int i = 0; i < 28; i++) {
            if (i == k)
                continue;
            for (int j = 0; j < 28; j++) {
                if (j == k)
                    continue;
                if (d[i][k] + d[k][j] < d[i][j])
                    d[i][j] = d[i][k] + d[k][j];
            }
        }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
