/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* a word that follows a byte */
#include <stdint.h>
#include <stdio.h>
struct __attribute__((packed)) s { uint8_t tag; uint32_t v; };
#pragma tandem extent(p, 5 * 8)
uint32_t f(const struct s *p) {
  uint32_t s = 0;
  for (int i = 0; i < 8; i++) s = s * 31 + p[i].v;
  return s;
}
int main(void) {
  struct s p[8]; uint32_t want = 0;
  for (int i = 0; i < 8; i++) { p[i].tag = i; p[i].v = i * 0x12345679u; }
  for (int i = 0; i < 8; i++) want = want * 31 + p[i].v;
  uint32_t got = f(p); puts(got == want ? "ok" : "wrong"); return got != want;
}
