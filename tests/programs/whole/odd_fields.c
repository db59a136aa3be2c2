/* SPDX-License-Identifier: Apache-2.0 */
/* offload: alias */
/* offload: two */
/* offload: own */
/* offload: wild */
/* offload: global */
/* offload: give */
/* offload: replaced */
/* served: 2 */
/* served: 1 */
/* served: 1 */
/* served: 4 */
/* served: 2 */
/* served: 3 */
/* served: 1 */
/* pointers in structs that others write to, that lead into their struct, that lead nowhere, that change places */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
struct s { unsigned char *p; unsigned n; unsigned char buf[8]; unsigned char *q; };
int alias(struct s *s, unsigned char *out, unsigned n) { int k = 0; for (unsigned i = 0; i < n; i++) { out[i] = i; k += s->p[i]; } return k; }
int two(struct s *a, struct s *b) { a->p++; b->p++; return *a->p + *b->p; }
int own(struct s *s, unsigned n) { for (unsigned i = 0; i < n; i++) s->p[i] += 1; return s->buf[0] + s->buf[7]; }
int wild(struct s *s, unsigned n) { int k = 0; while (n--) k += s->p[n]; return k; }
static unsigned char *cursor;
int global(unsigned n) { int k = 0; while (n--) k += *cursor++; return k; }
void give(struct s *s, unsigned char *to, int swap) { unsigned char *t = s->p; s->p = swap ? s->q : to; s->q = t; if (s->p) s->p[0] += 3; }
int replaced(struct s *s, unsigned char **out, unsigned char *by) { *out = by; return *s->p; }
int main(void) {
  unsigned char a[16], b[16]; for (int i = 0; i < 16; i++) { a[i] = i; b[i] = 3 * i; }
  struct s s = {a, 1, {1, 2, 3}, b}, u = {b, 0, {0}, 0};
  printf("%d ", alias(&s, b, 8));
  printf("%d ", alias(&s, s.buf, 8));
  struct s v = s; unsigned char *address = a + 1; memcpy(v.buf, &address, 8); printf("%d ", alias(&s, a, 8));
  printf("%d ", two(&s, &u)); printf("%d ", two(&s, &s)); printf("%d %d\n", (int)(s.p - a), (int)(u.p - b));
  s.p = s.buf; printf("%d ", own(&s, 8)); s.p = a; printf("%d\n", own(&s, 8));
  printf("%d ", wild((struct s *)16, 0)); printf("%d ", wild((struct s *)-4, 0)); s.p = (unsigned char *)8; printf("%d ", wild(&s, 0)); s.p = a; printf("%d\n", wild(&s, 9));
  cursor = a; printf("%d ", global(3)); printf("%d %d\n", global(5), (int)(cursor - a));
  give(&s, b + 4, 0); printf("%d %d ", (int)(s.p - b), (int)(s.q - a)); give(&s, 0, 0); printf("%d %d ", s.p == 0, (int)(s.q - b)); give(&s, 0, 1); printf("%d %d\n", (int)(s.p - b), s.q == 0);
  s.p = a; printf("%d ", replaced(&s, &s.q, b + 2)); printf("%d\n", replaced(&s, &s.p, b + 3));
  for (int i = 0; i < 16; i++) printf("%d %d ", a[i], b[i]); puts("");
  return 0;
}
