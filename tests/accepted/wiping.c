/* SPDX-License-Identifier: Apache-2.0 */
/* wiping of local variables, through `volatile` pointers too: nobody could look at what hardware keeps to itself, so nothing is stored */
#include <stddef.h>
#include <stdint.h>

static void wipe(void *begin, size_t size)
{
    volatile uint8_t *byte = begin;
    while (size--)
        *byte++ = 0;
}

int top(const uint8_t a[16], uint8_t b[16])
{
    uint32_t secret[16], sum = 0;
    for (int i = 0; i < 16; i++)
        secret[i] = a[i] * 77u + b[i];
    for (int i = 0; i < 16; i++)
        sum = sum * 5 + secret[sum & 15];
    wipe(secret, sizeof secret);
    return (int)sum;
}
