/* SPDX-License-Identifier: Apache-2.0 */
/* of as many as the call says */
#include <stdint.h>
#include <string.h>

void sorting_network(int n, int32_t *a)
{
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            for (int i = 0; i < n; i++) {
                int partner = i ^ j;
                if (partner > i && (a[i] > a[partner]) == ((i & k) == 0)) {
                    int32_t t = a[i];
                    a[i] = a[partner];
                    a[partner] = t;
                }
            }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(256, out);
}
