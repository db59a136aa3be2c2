/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* one of several constant tables */
#include <stdio.h>
#include <stdint.h>
static const char *const words[3] = {"ab", "cde", "f"};
static const uint32_t A[8] = {1,2,3,4,5,6,7,8}, B[8] = {9,8,7,6,5,4,3,2};
static const uint16_t odd[5] = {1, 2, 3, 4, 0xffff};
int f(int i, int k) { const uint32_t *t = k & 1 ? A : B; const uint8_t *b = (const uint8_t *)(k & 2 ? odd : (const uint16_t*)t); uint32_t x; __builtin_memcpy(&x, b + (i & 3), 4); return t[i & 7] + x + (t == A) + (k > 3 && t != B); }
int main(void) { for (int n = 0; n < 19; n++) printf("%d ", f(n, n * 3)); puts(""); return 0; }
