/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(const unsigned *in, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += in[i];
#pragma tandem inline
    return sum;
#pragma tandem unroll(2)
}
#pragma tandem inline
struct s { int x; };
#pragma tandem inline off
int a;
#pragma tandem inline
