/* SPDX-License-Identifier: Apache-2.0 */
int top(int a)
{
    int b = a;
    __asm__ volatile("nop" : "+r"(b));
    return b;
}
