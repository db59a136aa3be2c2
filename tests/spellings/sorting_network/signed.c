/* SPDX-License-Identifier: Apache-2.0 */
/* numbers with a sign, and a test for each direction */
#include <stdint.h>
#include <string.h>

void sorting_network(int32_t *a)
{
    for (int k = 2; k <= 256; k <<= 1)
        for (int j = k >> 1; j > 0; j = j >> 1)
            for (int i = 0; i < 256; i++) {
                int ixj = i ^ j;
                if (ixj > i) {
                    if ((i & k) == 0 && a[i] > a[ixj]) {
                        int t = a[i];
                        a[i] = a[ixj];
                        a[ixj] = t;
                    }
                    if ((i & k) != 0 && a[i] < a[ixj]) {
                        int t = a[i];
                        a[i] = a[ixj];
                        a[ixj] = t;
                    }
                }
            }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
