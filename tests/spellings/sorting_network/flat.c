/* SPDX-License-Identifier: Apache-2.0 */
/* one number a pair, a zero put into it */
#include <stdint.h>
#include <string.h>

void sorting_network(int32_t a[256])
{
    for (unsigned k = 2; k <= 256; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2)
            for (unsigned pair = 0; pair < 128; pair++) {
                unsigned i = 2 * pair - (pair & (j - 1)), partner = i + j;
                if ((a[i] > a[partner]) == !(i & k)) {
                    int32_t t = a[i];
                    a[i] = a[partner];
                    a[partner] = t;
                }
            }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
