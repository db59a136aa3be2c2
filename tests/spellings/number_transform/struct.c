/* SPDX-License-Identifier: Apache-2.0 */
/* in a structure, by a helper */
#include "../roots.h"

struct polynomial {
    int16_t of[256];
};

static void butterfly(struct polynomial *p, unsigned at, unsigned len, int16_t root)
{
    int16_t t = times(root, p->of[at + len]);
    p->of[at + len] = p->of[at] - t;
    p->of[at] = p->of[at] + t;
}

void number_transform(struct polynomial *p)
{
    unsigned k = 1;
    for (unsigned len = 128; len != 1; len /= 2)
        for (unsigned start = 0; start != 256; start += 2 * len, k++)
            for (unsigned at = start; at != start + len; at++)
                butterfly(p, at, len, ROOTS[k]);
}

void call(const void *in, void *out)
{
    memcpy(out, in, 256 * 2);
    number_transform(out);
}
