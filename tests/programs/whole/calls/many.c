// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
uint32_t f(uint32_t x){ return x*2654435761u ^ (x>>7); }
int main(void){ uint32_t s=0; for(int i=0;i<100000;i++) s+=f(s+i); printf("%u\n",s); return 0; }
