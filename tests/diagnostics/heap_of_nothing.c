/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#pragma tandem heap(0)
int top(int n)
{
    int *p = malloc(4 * n);
    p[n - 1] = 2;
    return p[n - 1];
}
