/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* words at any byte of a buffer */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#pragma tandem extent(p, 64)
uint32_t f(const uint8_t *p, int n) {
  uint32_t s = 0;
  for (int i = 0; i < n; i++) { uint32_t x; memcpy(&x, p + i, 4); s = s * 31 + x; }
  return s;
}
int main(void) {
  uint8_t b[64]; for (int i = 0; i < 64; i++) b[i] = i * 7 + 3;
  uint32_t got = f(b, 40), want = 0;
  for (int i = 0; i < 40; i++) want = want * 31 + (b[i] | b[i+1] << 8 | b[i+2] << 16 | (uint32_t)b[i+3] << 24);
  puts(got == want ? "ok" : "wrong"); return got != want;
}
