/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* bit fields of packed structs, in arguments and local arrays */
#include <stdio.h>
#include <stdint.h>
struct node { int v; int16_t w; struct { uint8_t a : 3, b : 5; uint32_t c : 27; } bits; } __attribute__((packed));
#pragma tandem extent(p, 128)
int f(struct node *p, int n) {
  struct node t = p[0], u[3] = {{1, 2, {3, 4, 5}}}; int s = 0;
  for (int i = 0; i < n; i++) { struct node *q = i & 1 ? &p[i] : &u[i % 3]; q->bits.b += i; q->bits.c ^= i * 77777; q->w--; s += q->v * q->bits.a; t.bits.c += q->bits.c; }
  p[1] = t; return s + u[0].bits.c + u[2].w;
}
int main(void) { struct node p[12] = {{5, 6, {7, 8, 9}}, {15, 26, {1, 18, 99}}}; for (int n = 0; n < 9; n++) printf("%d ", f(p, n)); for (int i = 0; i < 120; i++) printf("%d ", ((uint8_t *)p)[i]); puts(""); return 0; }
