/* SPDX-License-Identifier: Apache-2.0
 * exp KILOBYTES: e^x of 2^20 numbers, in chunks of so many times 1024 bytes, a call each. */
#include <stdlib.h>

#include "../../library/kernels/numeric/exp/exp_many.h"

#define NUMBERS ((size_t)1 << 20)

int main(int argc, char **argv)
{
    size_t chunk = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1024) * 1024 / sizeof(double);
    double *in = malloc(NUMBERS * sizeof *in), *out = malloc(NUMBERS * sizeof *out);
    if (!in || !out || !chunk || NUMBERS % chunk)
        return EXIT_FAILURE;
    for (size_t i = 0; i < NUMBERS; i++)
        in[i] = (double)i / 65536 - 8;
    for (size_t i = 0; i < NUMBERS; i += chunk)
        exp_pairs(in + i, out + i, chunk / 2);
    free(in);
    free(out);
    return EXIT_SUCCESS;
}
