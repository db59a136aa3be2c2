// SPDX-License-Identifier: Apache-2.0
/* The function that takes the time is in another file. */
#include "rotate.h"
#include <stdio.h>
static uint64_t data[50000];
int main(void)
{
    for (int i = 0; i < 50000; i++)
        data[i] = i * 0x2545f4914f6cdd1du;
    uint64_t s = 0;
    for (int i = 0; i < 2; i++)
        s += rotate_all(data, 50000);
    printf("%lx\n", (unsigned long)s);
    return 0;
}
