/* SPDX-License-Identifier: Apache-2.0 */
void top(int n)
{
    for (;;)
        n++;
}
