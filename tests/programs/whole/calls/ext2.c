// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#pragma tandem extent(out, 4 * m)
void f(const uint32_t *in, uint32_t *out, uint32_t n, uint32_t m){ for(uint32_t i=0;i<n && i<m;i++) out[i]=in[i]+1; }
int main(void){ static uint32_t a[64],b[128]; for(int i=0;i<64;i++)a[i]=i; memset(b,0x77,sizeof b); f(a,b,64,128); unsigned s=0; for(int i=0;i<128;i++) s=s*31+b[i]; printf("%u %x %x\n", s, b[64], b[127]); return 0; }
