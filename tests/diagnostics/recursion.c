/* SPDX-License-Identifier: Apache-2.0 */
int top(int n)
{
    return n < 2 ? 1 : n * top(n - 1) + top(n - 2);
}
