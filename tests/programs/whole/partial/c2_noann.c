// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#pragma tandem extent(in, 4 * n)
int f(const uint32_t *in, uint32_t *out, uint32_t n, uint32_t k)
{
    if (n > 5 && in[5] == 0) return -1; for (uint32_t i = 0; i < n; i++) out[i] = i; return 0;
}
int main(void){ static uint32_t a[16],b[16]; int s=0; for(int i=0;i<16;i++){a[i]=i+1;b[i]=0x77;} s+=f(a,b,16,0); a[5]=0; for(int i=0;i<16;i++)b[i]=0x77; s+=f(a,b,16,1); uint32_t h=0; for(int i=0;i<16;i++)h=h*31+b[i]; printf("%d %u %x %x\n",s,h,b[0],b[15]); return 0; }
