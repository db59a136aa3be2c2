/* SPDX-License-Identifier: Apache-2.0 */
/* the first part of a path in a variable, counters without a sign */
#include <string.h>

void shortest_paths(int d[28][28])
{
    for (unsigned k = 0; k < 28; k++)
        for (unsigned i = 0; i < 28; i++) {
            int first = d[i][k];
            for (unsigned j = 0; j < 28; j++)
                if (d[i][j] > first + d[k][j])
                    d[i][j] = first + d[k][j];
        }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
