/* SPDX-License-Identifier: Apache-2.0 */
unsigned top(long double x)
{
    return (unsigned)x;
}
