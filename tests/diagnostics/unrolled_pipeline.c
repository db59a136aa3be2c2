/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
    unsigned sum = 0;
#pragma tandem pipeline
#pragma tandem unroll
    for (unsigned i = 0; i < 8; i++)
        sum += in[i];
    return sum;
}
