/* SPDX-License-Identifier: Apache-2.0 */
/* offload: top */
/* tables of functions, and functions that others are given */
#include <stdio.h>
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int (*const operations[])(int, int) = {add, sub, mul, sub};

static int twice(int (*f)(int, int), int a, int b)
{
    return f(f(a, b), b);
}

int top(int which, int a, int b)
{
    return operations[which & 3](a, b) + twice(which & 4 ? mul : operations[(which + 1) & 3], a, 3);
}

int main(void)
{
    for (int i = 0; i < 12; i++) printf("%d\n", top(i, i * 3, 5));
    return 0;
}
