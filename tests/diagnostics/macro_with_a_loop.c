/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
static unsigned twice(unsigned a)
{
    while (a > 1)
        a = a & 1 ? 3 * a + 1 : a / 2;
    return a;
}
unsigned top(unsigned a) { return twice(a); }
