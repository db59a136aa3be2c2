// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdio.h>
void f(int *a, const int *b) { for (int i = 1; i < 100; i++) a[i] = b[i - 1] + i; }
int main(void) { static int a[100]; f(a, a); puts(a[99] == 4950 ? "ok" : "wrong"); return 0; }
