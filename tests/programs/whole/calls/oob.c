// SPDX-License-Identifier: Apache-2.0
// offload: f
// stops: declare at least that much
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#pragma tandem extent(a, 16)
int f(uint32_t *a, uint32_t i, uint32_t v){ uint32_t o=a[i]; a[i]=v; return o; }
int main(int c,char**v){ static uint32_t a[4096]; for(int i=0;i<4096;i++)a[i]=i*3; int s=0; s+=f(a,2,9); s+=f(a, 100, 7); printf("%d %u %u\n", s, a[2], a[100]); return 0; }
