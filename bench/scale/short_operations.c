/* SPDX-License-Identifier: Apache-2.0
 * short_operations COUNT: so many calls of 8 to 79 bytes. */
#include <stdint.h>
#include <stdlib.h>

void kernel(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t key)
{
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = in[i] ^ key;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    uint8_t in[80] = {1}, out[80];
    for (unsigned long i = 0; i < count; i++)
        kernel(in, out, 8 + i % 72, i);
    return EXIT_SUCCESS;
}
