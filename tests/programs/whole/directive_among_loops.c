/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* loops before, inside and after the one with a directive */
#include <stdio.h>
#pragma tandem extent(a, 4000)
#pragma tandem extent(b, 256)
void f(int *a, int *b, int n) {
  for (int r = 0; r < n; r++) {
    for (int q = 0; q < 5; q++) b[q] += q * r;
#pragma tandem pipeline
    for (int i = 0; i < 100; i++) { for (int k = 0; k < 10; k++) a[i * 10 + k] += r * k; }
    for (int j = 0; j < n; j++) { b[j & 15] += j; for (int k = 0; k < j; k++) b[k & 63] ^= j; }
  }
}
int main(void) { static int a[1000], b[64]; f(a, b, 7); for (int i = 0; i < 64; i++) printf("%d %d ", a[i*3], b[i]); return 0; }
