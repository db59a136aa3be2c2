/* SPDX-License-Identifier: Apache-2.0 */
/* the row of the node between is copied first */
#include <string.h>

void shortest_paths(int d[28][28])
{
    for (int k = 0; k < 28; k++) {
        int row[28];
        for (int j = 0; j < 28; j++)
            row[j] = d[k][j];
        for (int i = 0; i < 28; i++) {
            int first = d[i][k];
            for (int j = 0; j < 28; j++)
                if (first + row[j] < d[i][j])
                    d[i][j] = first + row[j];
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
