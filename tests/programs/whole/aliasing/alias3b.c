// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stddef.h>
void f(uint16_t *out, const uint16_t *in, size_t n) {
  for (size_t i = 0; i < n; i++) { uint16_t x = in[i]; out[2 * i] = x; out[2 * i + 1] = x + 1; }
}
static void __attribute__((noinline)) g(volatile uint16_t *a, volatile uint16_t *b, size_t n) { for (size_t i = 0; i < n; i++) { uint16_t x = b[i]; a[2*i] = x; a[2*i+1] = x + 1; } }
int main(void) {
  static uint16_t a[32], r[32]; for (int i = 0; i < 32; i++) a[i] = r[i] = i * i;
  f(a, a, 16); g(r, r, 16);
  puts(memcmp(a, r, sizeof a) ? "wrong" : "ok"); return 0;
}
