/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* functions chosen, swapped and passed on through pointers */
#include <stdio.h>
#include <stdint.h>
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int none(int a, int b) { (void)a; (void)b; return 0; }
static void put(int *p, int v) { *p += v; }
static void clr(int *p, int v) { *p &= v; }
typedef int (*op_t)(int, int);
static op_t pick(int s) { switch (s) { case 0: return add; case 1: return sub; case 2: return mul; default: return none; } }
static int apply(op_t o, int n, int a) { int r = a; for (int i = 0; i < n; i++) r = o(r, i); return r; }
int f(int s, int a, int b) {
  op_t x = add, y = sub; void (*w)(int *, int) = s & 4 ? put : clr; int acc = 5;
  for (int i = 0; i < a; i++) { acc = x(acc, b + i) ^ y(i, b); op_t t = x; x = y; y = t; w(&acc, s); }
  return (s & 2 ? mul : none)(a, b) * 2 + acc + apply(s & 1 ? add : mul, 3, a);
}
int main(void) { for (int s = 0; s < 8; s++) printf("%d ", f(s, s + 3, 11 - s)); puts(""); return 0; }
