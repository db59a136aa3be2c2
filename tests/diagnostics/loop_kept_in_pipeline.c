/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
    unsigned sum = 0;
#pragma tandem pipeline
    for (unsigned i = 0; i < n; i++)
#pragma tandem unroll off
        for (unsigned j = 0; j < 4; j++)
            sum += in[i] >> j;
    return sum;
}
