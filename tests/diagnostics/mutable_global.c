/* SPDX-License-Identifier: Apache-2.0 */
int counter;

int top(int a)
{
    counter += a;
    return counter;
}
