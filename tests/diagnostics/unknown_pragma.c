/* SPDX-License-Identifier: Apache-2.0 */
int top(int n)
{
    int sum = 0;
#pragma tandem pipelime
    for (int i = 0; i < n; i++)
        sum += i * n;
    return sum;
}
