/* SPDX-License-Identifier: Apache-2.0 */
/* a function that puts two in order */
#include <stdint.h>
#include <string.h>

static void put_in_order(int32_t *low, int32_t *high, int down)
{
    if (down ? *low < *high : *low > *high) {
        int32_t t = *low;
        *low = *high;
        *high = t;
    }
}

void sorting_network(int32_t a[256])
{
    for (int k = 2; k <= 256; k += k)
        for (int j = k / 2; j >= 1; j /= 2)
            for (int i = 0; i < 256; i++)
                if (i < (i ^ j))
                    put_in_order(&a[i], &a[i ^ j], i & k);
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
