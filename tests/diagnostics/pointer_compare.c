/* SPDX-License-Identifier: Apache-2.0 */
static const int zeros[4] = {0, 1, 0, 2};
#pragma tandem extent(a, 16)
int top(const int *a, int n)
{
    return a == zeros ? n : a[n & 3] + zeros[n & 3];
}
