/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware that is next to nothing: what it costs to step it is seen. */
#include <stdlib.h>

void scale(const unsigned char *in, unsigned char *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = 3 * in[i];
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? strtoul(argv[1], 0, 10) : 1000;
    unsigned char *in = calloc(n + 1, 1), *out = calloc(n + 1, 1);
    for (unsigned i = 0; i < n; i++)
        in[i] = i * 7;
    scale(in, out, n);
    return n && out[n - 1] != (unsigned char)(3 * in[n - 1]);
}
