/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* values that are undefined where nobody reads them */
#include <stdio.h>
#include <stdint.h>
static int noret(int x) { if (x > 3) return x * 2; }
uint32_t f(uint32_t x, uint32_t s, int pick) {
  uint32_t a[8], z; uint32_t u;
  a[x & 7] = 5;
  if (pick > 100) u = 3;
  noret(x);
  return (pick == 7 ? a[2] : x) + (pick > 100 ? u : 1) + (s < 32 ? x << s : 0);
}
int main(void) { for (int i = 0; i < 12; i++) printf("%u ", f(i * 77, i * 4, i == 7 ? 1 : i)); puts(""); return 0; }
