/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move along two rows */
#include <string.h>

void shortest_paths(int *d)
{
    for (int k = 0; k < 28; k++) {
        int *to = d;
        for (int i = 0; i < 28; i++) {
            const int *from = d + 28 * k;
            int first = to[k];
            for (int j = 0; j < 28; j++, to++, from++)
                if (first + *from < *to)
                    *to = first + *from;
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
