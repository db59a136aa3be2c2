/* SPDX-License-Identifier: Apache-2.0 */
/* offload: sum */
/* offload: find */
/* offload: later */
/* offload: up */
/* served: 8 */
/* served: 8 */
/* served: 2 */
/* served: 8 */
/* addresses of arguments: their alignment, which is higher, one that is returned, one made even */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
static unsigned char t[64];
unsigned sum(const unsigned char *p, unsigned n) {
  unsigned s = 1;
  while (n && (uintptr_t)p & 3) { s = s * 5 + *p++; n--; }
  for (; n >= 4; n -= 4, p += 4) { uint32_t w; memcpy(&w, p, 4); s = s * 3 + w; }
  while (n--) s = s * 5 + *p++;
  return s;
}
const char *find(const char *p, int c, unsigned n) {
  for (unsigned i = 0; i < n; i++) if (p[i] == c) return p + i;
  return 0;
}
char *later(char *a, char *b) { *a += 1; return a < b ? b : a; }
unsigned up(const unsigned char *p) { const unsigned *w = (const unsigned *)(((uintptr_t)p + 3) & ~(uintptr_t)3); return w[0] + w[1]; }
int main(void) {
  for (int i = 0; i < 64; i++) t[i] = i * 7;
  for (int i = 0; i < 8; i++) printf("%u ", sum(t + i, 20 + i));
  const char *s = (char *)t;
  for (int i = 0; i < 8; i++) { const char *r = find(s + i, 7 * 5, 20); printf("%ld ", r ? (long)(r - s) : -1L); }
  char two[2][8] = {{0}}; printf("%d %d\n", later(two[0], two[1]) == two[1], later(two[1], two[0]) == two[1]);
  for (int i = 0; i < 8; i++) printf("%u ", up(t + i));
  puts(""); return 0; }
