/* SPDX-License-Identifier: Apache-2.0 */
/* where a bit is not set, and with it set */
#include <stdint.h>
#include <string.h>

void sorting_network(int32_t a[256])
{
    for (unsigned k = 2; k <= 256; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2)
            for (unsigned i = 0; i < 256; i++)
                if (!(i & j)) {
                    int32_t x = a[i], y = a[i | j];
                    int change = (i & k) ? x < y : x > y;
                    a[i] = change ? y : x;
                    a[i | j] = change ? x : y;
                }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
