/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* differences and comparisons of pointers, also before the start */
#include <stdio.h>
#include <string.h>
#include <stddef.h>
#pragma tandem extent(s, 64)
long f(const char *s, int c, int n) {
  const char *p = s + n, *best = s;
  while (p > s && *--p != c) ;
  for (const char *q = s; q < s + n; q++) if (*q > *best) best = q;
  const char *r = s + n - 1; int k = 0; for (; r >= s; r -= 3) k += *r;
  long d = p - s; return best == p ? d : d * 64 + k + (best > p);
}
int main(void) { char t[64] = "hello world, how are you"; for (int n = 0; n < 20; n += 3) printf("%ld ", f(t, 'o', n)); puts(""); return 0; }
