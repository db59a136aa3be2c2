/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem extent(a, 16)
int top(const int *a)
{
    if (!a)
        return -1;
    return a[0];
}
