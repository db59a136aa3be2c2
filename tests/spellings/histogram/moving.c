/* SPDX-License-Identifier: Apache-2.0 */
/* pointers that move */
#include <stdint.h>

void histogram(const uint8_t *in, uint32_t *counts)
{
    for (uint32_t *p = counts; p != counts + 256; p++)
        *p = 0;
    for (const uint8_t *p = in; p != in + 256; p++)
        ++*(counts + *p);
}

void call(const void *in, void *out) { histogram(in, out); }
