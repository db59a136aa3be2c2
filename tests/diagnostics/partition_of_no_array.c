/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
#pragma tandem partition(sums, 4)
    unsigned sum = n;
    unsigned sums[8] = {0};
    for (unsigned i = 0; i < 8; i++)
        sums[(sum ^ i) & 7] += in[i];
    return sums[n & 7];
}
