/* SPDX-License-Identifier: Apache-2.0 */
/* empty inline assembly, which hides a value from the compiler or has it keep a store */
#include <stdint.h>
#include <string.h>

static uint32_t hidden(uint32_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

int top(const uint8_t a[16], uint8_t b[16])
{
    uint32_t different = 0;
    for (int i = 0; i < 16; i++)
        different |= hidden(a[i] ^ b[i]);
    memset(b, 0, 16);
    __asm__ volatile("" : : "r"(b) : "memory");
    return hidden((different - 1) >> 31);
}
