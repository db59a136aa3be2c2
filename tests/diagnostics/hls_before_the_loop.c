/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
    unsigned sum = 0;
#pragma HLS unroll factor=2
    for (unsigned i = 0; i < n; i++)
        sum += in[i];
    return sum;
}
