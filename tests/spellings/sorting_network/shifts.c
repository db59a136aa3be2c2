/* SPDX-License-Identifier: Apache-2.0 */
/* rounds and steps by their numbers */
#include <stdint.h>
#include <string.h>

void sorting_network(int32_t a[256])
{
    for (int p = 0; p < 8; p++)
        for (int q = p; q >= 0; q--)
            for (int i = 0; i < 256; i++) {
                int other = i ^ (1 << q);
                if (other > i) {
                    int32_t x = a[i], y = a[other];
                    if ((x > y) != (i >> (p + 1) & 1)) {
                        a[i] = y;
                        a[other] = x;
                    }
                }
            }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
