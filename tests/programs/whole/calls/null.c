// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int f(const uint32_t *in, uint32_t *out, uint32_t n){ int c=0; for(uint32_t i=0;i<n;i++){ out[i]=in[i]+1; c++; } return c; }
int main(int c,char**v){ printf("%d\n", f(0,0,0)); fflush(stdout); uint32_t b[4]={1,2,3,4}; if(c>1) printf("%d\n", f(0,b,4)); return 0; }
