/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem macro("macro.v", latency 2)
static unsigned count(unsigned a)
{
    static unsigned sum;
    return sum += a;
}
unsigned top(unsigned a) { return count(a); }
