// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
uint32_t f(const uint32_t *in, uint32_t *out, uint32_t n){ uint32_t s=0; for(uint32_t i=0;i<n;i++){ uint32_t x=in[i]*3+n; out[i]=x; s+=x; } return s; }
static uint32_t res[8];
void *w(void*p){ long k=(long)p; uint32_t a[100],b[100],s=0; for(int i=0;i<100;i++)a[i]=i*k; for(int r=0;r<500;r++){ s+=f(a,b,100); a[r%100]=b[(r*7)%100]; } res[k]=s; return 0; }
int main(void){ pthread_t t[8]; for(long i=0;i<8;i++)pthread_create(&t[i],0,w,(void*)i); for(int i=0;i<8;i++)pthread_join(t[i],0); uint32_t s=0; for(int i=0;i<8;i++) s=s*31+res[i]; printf("%u\n",s); return 0; }
