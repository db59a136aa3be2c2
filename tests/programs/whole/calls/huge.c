// SPDX-License-Identifier: Apache-2.0
// offload: f
// arguments: 4
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
uint64_t f(const uint32_t *in, uint64_t n){ uint64_t s=0; for(uint64_t i=0;i<n;i++) s+=in[i]; return s; }
int main(int c,char**v){ static uint32_t a[4]; uint64_t n = strtoull(v[1],0,0); printf("%llu\n",(unsigned long long)f(a,n)); return 0; }
