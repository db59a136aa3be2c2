/* SPDX-License-Identifier: Apache-2.0 */
int top(int a)
{
    return a + ;
}
