/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(unsigned n, unsigned x)
{
    unsigned sum = 1;
#pragma tandem pipeline ii(1)
    for (unsigned i = 0; i < n; i++)
        sum = sum * x + i;
    return sum;
}
