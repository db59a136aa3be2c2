/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(unsigned n)
{
    double half = n;
    return (unsigned)(half * 0.3);
}
