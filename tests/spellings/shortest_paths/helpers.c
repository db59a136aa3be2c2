/* SPDX-License-Identifier: Apache-2.0 */
/* a function for the lesser, a macro for the place, while */
#include <string.h>
#define D(i, j) d[28 * (i) + (j)]

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

void shortest_paths(int *d)
{
    int k = 0;
    while (k < 28) {
        int i = 0;
        while (i < 28) {
            int j = 0;
            while (j < 28) {
                D(i, j) = lesser(D(i, j), D(i, k) + D(k, j));
                j++;
            }
            i++;
        }
        k++;
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 28 * 28 * 4);
    shortest_paths(out);
}
