/* SPDX-License-Identifier: Apache-2.0 */
/* a function for a point, do and while */
static int difference(const int *p, int step)
{
    return p[-step] - 2 * p[0] + p[step];
}

void stencil7(const int *in, int *out)
{
    int z = 1;
    do {
        int y = 1;
        do {
            int x = 1;
            do {
                const int *p = in + 320 * z + 40 * y + x;
                out[p - in] = difference(p, 320) + difference(p, 40) + difference(p, 1);
            } while (++x < 39);
        } while (++y < 7);
    } while (++z < 5);
}

void call(const void *in, void *out) { stencil7(in, out); }
