/* SPDX-License-Identifier: Apache-2.0 */
#pragma tandem recursion(8)
static int f(int n)
{
    int values[n & 15];
    for (int i = 0; i < (n & 15); i++)
        values[i] = i * n;
    return n < 1 ? n : f(n - 1) * values[n & 1] + f(n - 2);
}

int top(int n)
{
    return f(n);
}
