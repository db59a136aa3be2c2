/* SPDX-License-Identifier: Apache-2.0 */
double top(unsigned n)
{
    return n / 2.0;
}
