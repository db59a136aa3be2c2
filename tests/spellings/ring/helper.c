/* SPDX-License-Identifier: Apache-2.0 */
/* a function says what is next */
#include <stdint.h>

static int next(int at, int size)
{
    return (at + 1) % size;
}

void ring(const int32_t in[128], int32_t out[128])
{
    int32_t last[10] = {0}; int at = 0;
    int32_t sum = 0;
    for (int i = 0; i < 128; i++) {
        sum += in[i] - last[at];
        last[at] = in[i];
        at = next(at, 10);
        out[i] = sum;
    }
}

void call(const void *in, void *out)
{
    ring(in, out);
}
