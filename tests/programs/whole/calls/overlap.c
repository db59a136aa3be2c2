// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
void f(const uint32_t *in, uint32_t *out, uint32_t n){ for(uint32_t i=0;i<n;i++) out[i]=in[i]*3+1; }
int main(void){ static uint32_t b[80]; for(int i=0;i<80;i++)b[i]=i; f(b,b,64); f(b,b+1,20); f(b+3,b,20); f((uint32_t*)((char*)b+2),(uint32_t*)((char*)b+101),7); unsigned s=0; for(int i=0;i<80;i++) s=s*31+b[i]; printf("%u\n", s); return 0; }
