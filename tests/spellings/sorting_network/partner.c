/* SPDX-License-Identifier: Apache-2.0 */
/* each number's partner, which is the greater one */
#include <stdint.h>
#include <string.h>

void sorting_network(int32_t a[256])
{
    for (unsigned k = 2; k <= 256; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2)
            for (unsigned i = 0; i < 256; i++) {
                unsigned partner = i ^ j;
                if (partner > i && ((i & k) == 0 ? a[i] > a[partner] : a[i] < a[partner])) {
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
