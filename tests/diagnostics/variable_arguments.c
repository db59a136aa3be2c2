/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
unsigned top(unsigned n, ...)
{
    va_list list;
    unsigned sum = 0;
    va_start(list, n);
    while (n--)
        sum += va_arg(list, unsigned);
    va_end(list);
    return sum;
}
