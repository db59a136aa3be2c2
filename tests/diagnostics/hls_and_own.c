/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
    unsigned sum = 0;
#pragma tandem pipeline off
    for (unsigned i = 0; i < n; i++) {
#pragma HLS pipeline II=1
        sum += in[i];
    }
    return sum;
}
