// SPDX-License-Identifier: Apache-2.0
// offload: f
// stops: split the call
#include <stdint.h>
#include <stdio.h>
#pragma tandem extent(out, 0 - 4*n)
void f(const uint32_t *in, uint32_t *out, uint32_t n){ for(uint32_t i=0;i<n;i++) out[i]=in[i]+1; }
int main(void){ static uint32_t a[64],b[64]; for(int i=0;i<64;i++)a[i]=i; f(a,b,64); unsigned s=0; for(int i=0;i<64;i++) s=s*31+b[i]; printf("%u\n", s); return 0; }
