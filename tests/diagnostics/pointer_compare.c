/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem extent(a, 16)
#pragma tandem extent(b, 16)
int top(const int *a, const int *b)
{
    return a == b ? 1 : a[0] + b[0];
}
