// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
int f(uint32_t x){ uint32_t n=0; while (x != 1) { x = (x & 1) ? 3*x+1 : x/2; n++; } return n; }
int main(int c,char**v){ printf("%d\n", f(27)); fflush(stdout); if(c>1) printf("%d\n", f(0)); return 0; }
