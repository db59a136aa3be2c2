/* SPDX-License-Identifier: Apache-2.0 */
/* steps that halve */
#include <stdint.h>

static int place(const int32_t *sorted, int32_t wanted)
{
    int below = -1;
    for (int step = 128; step > 0; step /= 2)
        if (sorted[below + step] < wanted)
            below += step;
    if (below < 255 && sorted[below + 1] < wanted)
        below++;
    return below + 1;
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
