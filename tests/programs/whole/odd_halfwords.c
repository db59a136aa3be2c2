/* SPDX-License-Identifier: Apache-2.0 */
/* offload: f */
/* halfwords at odd bytes only */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* 16-bit accesses at odd offsets of a byte stream, the narrowest access being 2 */
#pragma tandem extent(p, 64)
uint32_t f(const uint8_t *p) { uint16_t a, b; memcpy(&a, p + 1, 2); memcpy(&b, p + 7, 2); return (uint32_t)a << 16 | b; }
int main(void) { uint8_t b[64]; for (int i = 0; i < 64; i++) b[i] = i; uint32_t r = f(b); printf("%08x %s\n", r, r == 0x02010807 ? "ok" : "wrong"); return 0; }
