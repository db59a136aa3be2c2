/* SPDX-License-Identifier: Apache-2.0 */
/* offload: mv */
/* memmove to a higher place in one buffer */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#pragma tandem extent(a, 50)
void mv(uint8_t *a, uint32_t n, uint32_t d) { memmove(a + d, a, n); memset(a, 7, d); }
int main(void) { uint8_t a[50]; for (int i = 0; i < 50; i++) { a[i] = i * 9; } mv(a, 30, 3); for (int i = 0; i < 50; i++) printf("%u ", a[i]); puts(""); return 0; }
