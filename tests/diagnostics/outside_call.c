/* SPDX-License-Identifier: Apache-2.0 */
int elsewhere(int a);

int top(int a)
{
    return elsewhere(a) + 1;
}
