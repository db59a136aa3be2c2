/* SPDX-License-Identifier: Apache-2.0 */
/* offload: three */
/* one of two arguments, chosen by a number */
#include <stdio.h>
#pragma tandem extent(a, 64)
#pragma tandem extent(b, 64)
int three(int *a, int *b, int i, int pick) { int x; if (pick & 1) { b[i & 3] = 7; x = a[i & 15]; } else { a[i & 7] = 2; x = b[i & 15]; } return x * 7; }
int main(void) {
  int a[16], b[16];
  for (int i = 0; i < 16; i++) { a[i] = i * i; b[i] = 100 - i; }
  for (int i = 0; i < 12; i++) printf("%d ", three(a, b, i * 5, i / 2));
  for (int i = 0; i < 16; i++) printf("%d %d ", a[i], b[i]);
  puts(""); return 0;
}
