/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* a long loop beside one with a directive */
#pragma tandem extent(a, 4000)
#pragma tandem extent(b, 4000)
void f(int *a, int *b, int n) {
  for (int r = 0; r < n; r++) {
#pragma tandem pipeline
    for (int i = 0; i < 1000; i++) a[i] += r;
    for (int j = 0; j < 1000; j++) b[j] ^= r;     /* a sibling: gets 1000 copies */
  }
}
#include <stdio.h>
int main(void) { static int a[1000], b[1000]; f(a, b, 3); printf("%d %d %d\n", a[5], a[999], b[7]); return a[5] != 3; }
