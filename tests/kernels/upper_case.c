/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

static int upper(int c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

void upper_case(const unsigned char *in, unsigned char *out, size_t n)
{
    while (n--)
        *out++ = upper(*in++);
}
