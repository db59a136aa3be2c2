/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

int top(int n)
{
    int written = printf("%d\n", n);
    return written;
}
