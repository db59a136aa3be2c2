/* SPDX-License-Identifier: Apache-2.0
 * long_stream COUNT: so many times a mebibyte, a call each. */
#include <stdint.h>
#include <stdlib.h>

#define WORDS 131072

void kernel(const uint64_t *in, uint64_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] * 3;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    static uint64_t in[WORDS], out[WORDS];
    for (unsigned long i = 0; i < count; i++)
        kernel(in, out, WORDS);
    return EXIT_SUCCESS;
}
