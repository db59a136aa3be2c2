/* SPDX-License-Identifier: Apache-2.0 */
static __attribute__((noinline)) unsigned mix(unsigned x, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        x = x * 5 ^ i;
    return x;
}

unsigned top(unsigned n, unsigned x)
{
    unsigned sum = mix(x, n);
#pragma tandem pipeline
    for (unsigned i = 0; i < n; i++)
        sum += mix(sum, i);
    return sum;
}
