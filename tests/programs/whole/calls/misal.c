// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <string.h>
void f(const uint64_t *in, uint64_t *out, uint32_t n){ for(uint32_t i=0;i<n;i++) out[i]=in[i]*3+1; }
int main(void){ static char b[1200]; for(int i=0;i<1200;i++)b[i]=i*7; f((void*)(b+1),(void*)(b+603),64); unsigned s=0; for(int i=0;i<1200;i++) s=s*31+b[i]; printf("%u\n", s); return 0; }
