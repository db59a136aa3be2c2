/* SPDX-License-Identifier: Apache-2.0 */
/* `while` loops, and numbers of a pointer's size */
#include <stdint.h>
#include <string.h>

#include <stddef.h>

void sorting_network(int32_t *a)
{
    size_t k = 1;
    while (k < 256) {
        size_t j = k;
        k *= 2;
        while (j) {
            size_t i = 0;
            do {
                size_t partner = j ^ i;
                if (i < partner) {
                    int32_t x = a[i], y = a[partner];
                    if (i & k ? x < y : y < x) {
                        a[i] = y;
                        a[partner] = x;
                    }
                }
            } while (++i < 256);
            j /= 2;
        }
    }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
