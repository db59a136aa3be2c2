/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
#pragma tandem partition(sums, 2)
#pragma tandem partition(sums, 4)
    unsigned sums[8] = {0};
    for (unsigned i = 0; i < 8; i++)
        sums[in[i] & 7] += n;
    return sums[n & 7];
}
