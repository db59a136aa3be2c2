/* SPDX-License-Identifier: Apache-2.0 */
/* a function for a row, another for a sum; size_t */
#include <stddef.h>
#include <stdint.h>

static int32_t binomial(const int32_t *p)
{
    return p[0] + p[4] + 4 * (p[1] + p[3]) + 6 * p[2];
}

static void row(const int32_t *from, int32_t *to, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        to[i] = binomial(from + i);
}

void rows5(const int32_t *in, int32_t *out)
{
    for (size_t y = 0; y < 8; ++y)
        row(in + y * 48, out + y * 48 + 2, 44);
}

void call(const void *in, void *out) { rows5(in, out); }
