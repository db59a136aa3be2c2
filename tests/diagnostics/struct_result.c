/* SPDX-License-Identifier: Apache-2.0 */
struct sums {
    unsigned long long low, high, all;
};
struct sums top(unsigned a, unsigned b)
{
    struct sums sums = {a & b, a | b, a + b};
    return sums;
}
