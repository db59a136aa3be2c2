/* SPDX-License-Identifier: Apache-2.0 */
unsigned int gcd(unsigned int a, unsigned int b)
{
    if (a == 0)
        return b;
    if (b == 0)
        return a;
    while (a != b) {
        if (a > b)
            a -= b;
        else
            b -= a;
    }
    return a;
}
