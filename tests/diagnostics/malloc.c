/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

int top(int n)
{
    int *p = malloc(4 * n);
    p[0] = n;
    p[n - 1] = 2;
    return p[0];
}
