/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#pragma tandem extent(in, 64)
unsigned top(const unsigned char *in, unsigned n)
{
    unsigned char own[64];
    for (unsigned i = 0; i < 64; i++)
        own[i] = in[i] ^ n;
    return ((uintptr_t)own >> 6 & 3) + own[n & 63];
}
