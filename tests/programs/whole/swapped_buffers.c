/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* two local arrays swapped through pointers */
#include <stdint.h>
#include <stdio.h>
int f(const int *a, int n) { int x[64], y[64]; int *src = x, *dst = y; for (int i = 0; i < 64; i++) x[i] = a[i]; for (int r = 0; r < n; r++) { for (int i = 0; i < 64; i++) dst[i] = src[(i + 1) & 63] + r; int *t = src; src = dst; dst = t; } return src[5]; }
int main(void) { int a[64]; for (int i = 0; i < 64; i++) a[i] = i; int r = f(a, 3); printf("%d\n", r); puts(r == 11 ? "ok" : "wrong"); return r != 11; }
