/* SPDX-License-Identifier: Apache-2.0 */
long dot_product(const int *a, const int *b, int n)
{
    long sum = 0;

    while (n-- > 0)
        sum += (long)*a++ * *b++;
    return sum;
}
