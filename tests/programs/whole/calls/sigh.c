// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
#include <signal.h>
#include <unistd.h>
#include <sys/time.h>
volatile uint32_t hits, sum2;
void f(const uint32_t *in, uint32_t *out, uint32_t n){ for(uint32_t i=0;i<n;i++){ uint32_t x=in[i]; for(int k=0;k<20;k++) x=x*1664525u+1013904223u; out[i]=x; } }
void h(int s){ uint32_t a[4]={1,2,3,4},b[4]; f(a,b,4); sum2^=b[0]; hits++; }
int main(void){ static uint32_t a[20000],b[20000]; struct itimerval t={{0,2000},{0,2000}}; signal(SIGALRM,h); setitimer(ITIMER_REAL,&t,0); uint32_t s=0; for(int i=0;i<200;i++){ f(a,b,20000); s+=b[7]; a[7]=s; } t.it_interval.tv_usec=t.it_value.tv_usec=0; setitimer(ITIMER_REAL,&t,0); printf("%u\n",s); return 0; }
