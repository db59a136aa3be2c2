/* SPDX-License-Identifier: Apache-2.0 */
/* offload: cp */
/* memcpy from one argument to another */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
void cp(uint32_t *out, const uint32_t *in, uint32_t n) { memcpy(out, in, 4 * (size_t)n); }
int main(void) { uint32_t a[50], b[50]; for (int i = 0; i < 50; i++) { a[i] = i * 99; b[i] = 1; } cp(b, a, 48); for (int i = 0; i < 50; i++) printf("%u ", b[i]); puts(""); return 0; }
