/* SPDX-License-Identifier: Apache-2.0 */
int top(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i * i;
    return a[n / 2];
}
