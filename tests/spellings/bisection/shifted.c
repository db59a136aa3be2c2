/* SPDX-License-Identifier: Apache-2.0 */
/* half of a sum is a shift */
#include <stdint.h>

static int place(const int32_t *sorted, int32_t wanted)
{
    int low = 0, high = 256;
    while (low < high) {
        int middle = (low + high) >> 1;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void bisection(const int32_t in[256], int32_t out[16])
{
    int32_t sorted[256];
    int32_t sum = 0;
    for (int i = 0; i < 256; i++) {
        sum += in[i] & 0xffff;
        sorted[i] = sum;
    }
    for (int i = 0; i < 16; i++)
        out[i] = place(sorted, sum / 16 * i);
}

void call(const void *in, void *out)
{
    bisection(in, out);
}
