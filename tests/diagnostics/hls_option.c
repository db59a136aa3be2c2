/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
#pragma HLS unroll II=2
        sum += in[i];
    }
    return sum;
}
