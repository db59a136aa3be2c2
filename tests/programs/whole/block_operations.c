/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* memset, memcpy and memmove of large and unknown sizes, large initialisers */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
struct big { uint8_t bytes[1500]; int n; };
#pragma tandem extent(a, 4096)
#pragma tandem extent(b, 4096)
uint32_t f(const uint32_t *a, uint8_t *b, int n) {
  int h[2048] = {0}, k[1100] = {5, 6, 7};
  uint32_t s = 0;
  static const int64_t c[300] = {1, -2, 3};
  int64_t d[300]; uint8_t e[2001]; struct big g, g2;
  uint16_t odd[700] = {1};
  memcpy(d, c, sizeof d);
  memset(e, n, sizeof e);
  for (int i = 0; i < 64; i++) h[a[i] & 2047] += i;
  memcpy(h + 100, a, 4 * n);
  memcpy(b + 3, e + 1, n);
  memmove(b + 1, b, n * 2);
  memmove(b + 100, b + 103, n * 2);
  memmove(e + 7, e, 1800);
  memmove(b + 500, a + 3, 1100);
  memset(b + 2000 + n, 0x5a, n);
  memset(&g, 1, sizeof g); g.bytes[n] = 9; g2 = g; g2.bytes[5] = 3;
  memcpy(b + 600, &g2, sizeof g2 - n);
  memset(odd + n, 0xff, 2 * (n + 3));
  for (int i = 0; i < 2048; i++) s = s * 3 + h[i];
  for (int i = 0; i < 1100; i++) s = s * 3 + k[i];
  for (int i = 0; i < 300; i++) s = s * 3 + d[i];
  for (int i = 0; i < 2001; i++) s = s * 3 + e[i];
  for (int i = 0; i < 700; i++) s = s * 3 + odd[i];
  return s + g2.bytes[n] + g.bytes[5];
}
int main(void) { static uint32_t a[1024]; static uint8_t b[4096];
  for (int i = 0; i < 1024; i++) a[i] = i * 77777u; for (int i = 0; i < 4096; i++) b[i] = i * 7;
  for (int n = 0; n < 40; n += 13) printf("%u\n", f(a, b, n));
  uint32_t s = 0; for (int i = 0; i < 4096; i++) s = s * 31 + b[i]; printf("%u\n", s); return 0; }
