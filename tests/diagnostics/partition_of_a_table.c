/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(unsigned n)
{
#pragma tandem partition(table, 4)
    static const unsigned table[8] = {1, 4, 9, 16, 25, 36, 49, 64};
#pragma tandem partition(sum)
    return table[n & 7];
}
