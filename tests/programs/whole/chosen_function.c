/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* one of two functions through a pointer */
#include <stdio.h>
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
int f(int s, int a, int b) { int (*op)(int, int) = s ? add : sub; return op(a, b) * 2; }
int main(void) { int bad = (f(1, 5, 3) != 16) + (f(0, 5, 3) != 4); puts(bad ? "wrong" : "ok"); return bad; }
