/* SPDX-License-Identifier: Apache-2.0 */
/* partners that are less are passed over */
#include <stdint.h>
#include <string.h>

void sorting_network(int32_t a[256])
{
    for (uint16_t k = 2; k <= 256; k <<= 1)
        for (uint16_t j = k >> 1; j != 0; j >>= 1)
            for (uint16_t i = 0; i != 256; i++) {
                uint16_t partner = i ^ j;
                if (partner <= i)
                    continue;
                int32_t x = a[i], y = a[partner], less = x < y ? x : y, more = x < y ? y : x;
                a[i] = i & k ? more : less;
                a[partner] = i & k ? less : more;
            }
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 4);
    sorting_network(out);
}
