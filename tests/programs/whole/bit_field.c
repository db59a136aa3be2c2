/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* a bit field of 20 bits beside a byte, which must stay */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct s { unsigned a : 20; unsigned char b; };
#pragma tandem extent(p, 32)
void f(struct s *p, int v) {
  for (int i = 0; i < 8; i++) p[i].a = v + i * 3;
}
int main(void) {
  struct s p[8]; int bad = 0;
  for (int i = 0; i < 8; i++) { p[i].a = 0; p[i].b = 0xa0 + i; }
  f(p, 0xabcde);
  for (int i = 0; i < 8; i++) bad += p[i].b != 0xa0 + i || p[i].a != ((0xabcde + i * 3) & 0xfffff);
  puts(bad ? "wrong" : "ok"); return bad != 0;
}
