/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

int top(int n)
{
    return rand() % n;
}
