// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int f(const uint32_t *table, const uint8_t *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += table[x[i]]; return s; }
int main(void) { /* a table of 16 entries at the very end of a page */
  char *m = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mprotect(m + 4096, 4096, PROT_NONE);
  uint32_t *t = (uint32_t *)(m + 4096) - 16; uint8_t x[40]; int want = 0;
  for (int i = 0; i < 16; i++) t[i] = i * i; for (int i = 0; i < 40; i++) { x[i] = i & 15; want += t[i & 15]; }
  int r = f(t, x, 40); puts(r == want ? "ok" : "wrong"); return r != want; }
