/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
#pragma tandem partition(sums)
    unsigned sums[4096] = {0};
    for (unsigned i = 0; i < 8; i++)
        sums[in[i] & 4095] += n;
    return sums[n & 4095];
}
