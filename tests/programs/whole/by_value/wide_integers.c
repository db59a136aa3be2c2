/* SPDX-License-Identifier: Apache-2.0 */
/* offload: product */
/* offload: quotient */
/* offload: odd */
/* offload: middling */
/* offload: hundred */
/* offload: most */
/* Integers of 128 bits, and of widths that no other type has, as arguments and results. */
#include <stdio.h>

typedef unsigned __int128 wide;

__int128 product(long a, __int128 b)
{
    return a * b;
}

unsigned quotient(wide a, unsigned b)
{
    return a / b;
}

_BitInt(17) odd(_BitInt(17) a, unsigned _BitInt(7) b)
{
    return a * b + 1;
}

unsigned _BitInt(40) middling(unsigned _BitInt(40) a, _BitInt(33) b)
{
    return a + b * 3;
}

_BitInt(100) hundred(_BitInt(100) a, int by)
{
    return (a << by) - 1;
}

_BitInt(200) most(_BitInt(200) a, _BitInt(128) b)
{
    return a * 3 - b;
}

int main(void)
{
    for (int i = 0; i < 5; i++) {
        __int128 p = product(-1000000007L * i, (__int128)1 << 60);
        unsigned q = quotient((wide)i << 33, 12345);
        _BitInt(17) o = odd(i * 99, i * 30);
        unsigned _BitInt(40) m = middling(0xfffffffff0, i * -100000);
        _BitInt(100) h = hundred(-i, 20 * i);
        _BitInt(200) l = most(i - 3, (_BitInt(128))1 << 100);
        printf("%ld %lx, %u, %d, %lx, ", (long)(p >> 64), (unsigned long)p, q, (int)o, (unsigned long)m);
        printf("%ld %lx, %ld %lx\n", (long)(h >> 64), (unsigned long)h, (long)(l >> 96), (unsigned long)l);
    }
    return 0;
}
