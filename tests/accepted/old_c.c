/* SPDX-License-Identifier: Apache-2.0 */
/* offload: digest */
/* C as it once was: old-style definitions, `int` and functions that nobody declared */
#include <stdio.h>

static calls;
char data[16];

inline static twice(x)
{
    return x * 2;
}

digest(text, length, seed)
    char *text;
    short seed;
{
    register i;
    unsigned char *byte = text;
    for (i = 0; i < length; i++)
        seed = mixed(seed, *byte++) + twice(i);
    calls++;
    return seed;
}

mixed(a, b)
{
    return (a << 3 ^ b) & 0x7fff;
}

int main(void)
{
    int i;
    for (i = 0; i < 16; i++)
        data[i] = i * 37;
    i = digest(data, 16, 5);
    printf("%d %d\n", i, digest(data + 3, 9, -5));
    printf("%d\n", calls);
    return 0;
}
