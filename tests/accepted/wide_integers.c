/* SPDX-License-Identifier: Apache-2.0 */
/* offload: high_product */
/* `__int128` and `_BitInt(N)`, in the function, as arguments and as results */
#include <stdio.h>

unsigned __int128 high_product(unsigned __int128 a, unsigned long b, _BitInt(7) down)
{
    _BitInt(192) product = (_BitInt(192))a * b;
    return (unsigned __int128)(product >> (64 - down));
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        unsigned __int128 high = high_product((unsigned __int128)i << 70 | 12345, 0xfedcba9876543210, i - 2);
        printf("%lx %lx\n", (unsigned long)(high >> 64), (unsigned long)high);
    }
    return 0;
}
