/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n, unsigned m)
{
    unsigned sum = 0;
#pragma tandem unroll(2)
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < m; j++)
            sum += in[i] >> j;
    return sum;
}
