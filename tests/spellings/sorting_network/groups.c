/* SPDX-License-Identifier: Apache-2.0 */
/* groups of pairs, the lower ones of each in a loop */
#include <stdint.h>
#include <string.h>

void sorting_network(int32_t a[256])
{
    for (unsigned k = 2; k <= 256; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2)
            for (unsigned first = 0; first < 256; first += 2 * j)
                for (unsigned i = first; i < first + j; i++)
                    if (i & k ? a[i] < a[i + j] : a[i] > a[i + j]) {
                        int32_t t = a[i];
                        a[i] = a[i + j];
                        a[i + j] = t;
                    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
