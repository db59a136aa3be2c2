/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem inline off
static unsigned mix(unsigned x, unsigned y) { return x * y ^ x; }
unsigned top(const unsigned *in, unsigned n)
{
    unsigned sum = mix(n, 3);
#pragma tandem unroll(2)
    for (unsigned i = 0; i < n; i++)
        sum = mix(sum, in[i]);
    return sum;
}
