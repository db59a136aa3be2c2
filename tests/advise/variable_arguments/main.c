// SPDX-License-Identifier: Apache-2.0
/* What takes the time has arguments that vary, which hardware has not. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
uint32_t total(int n, ...)
{
    va_list list;
    va_start(list, n);
    uint32_t s = 1;
    for (int i = 0; i < n; i++)
        s += va_arg(list, uint32_t);
    va_end(list);
    for (int i = 0; i < 400000; i++)
        s = s * 5 ^ s >> 3;
    return s;
}
int main(void)
{
    uint32_t s = 0;
    for (uint32_t i = 0; i < 20; i++)
        s ^= total(3, i, i + 1, s);
    printf("%u\n", s);
    return 0;
}
