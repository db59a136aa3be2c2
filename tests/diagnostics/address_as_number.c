/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
unsigned top(const unsigned char *in)
{
    return ((uintptr_t)in & 3) + in[0];
}
