/* SPDX-License-Identifier: Apache-2.0 */
/* offload: mix */
/* pointers that lead to arguments, local arrays, tables and nowhere */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
static const uint8_t tab[32] = {1,2,3,4,5,6,7,8,9,10,11,12,13};
#pragma tandem extent(a, 64)
#pragma tandem extent(b, 64)
uint32_t mix(const uint8_t *a, uint8_t *b, uint32_t n, int pick) {
  uint8_t local[64]; uint32_t s = 0;
  memset(local, 3, sizeof local);
  const uint8_t *p = a; uint8_t *q = local; const uint8_t *r = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t x; memcpy(&x, p + (i & 15), 4); s = s * 31 + x;
    uint16_t y = s; memcpy(q + 2 * (i & 7) + 1, &y, 2);
    if (x & 4) { p = tab + (i & 3); q = b; r = tab + 3; } else if (x & 8) { p = local + 5; q = local + 2; } else { p = a + 1; r = local + i % 5; }
    if (q == local + 2) s += 9;
    if (r) s += *r;
    const uint8_t *e = p; while (e < p + 3 && *e != 3) e++;
    s += e - p;
  }
  return s;
}
int main(void) {
  uint8_t a[64], b[64];
  for (int i = 0; i < 64; i++) { a[i] = i * 7; b[i] = 100 - i; }
  for (int i = 0; i < 12; i++) printf("%u ", mix(a, b, i * 5, i / 2));
  for (int i = 0; i < 64; i++) printf("%d %d ", a[i], b[i]);
  puts(""); return 0;
}
