/* SPDX-License-Identifier: Apache-2.0 */
_Thread_local int counter;

int top(int a)
{
    counter += a;
    return counter;
}
