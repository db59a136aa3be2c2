// SPDX-License-Identifier: Apache-2.0
// offload: f
// arguments: 3
// arguments: -2
// arguments: 0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int f(const int32_t *in, int32_t *out, int n){ int s=0; for(int i=0;i<n;i++) { s+=in[i]; out[i]=s; } return s; }
int main(int c,char**v){ static int32_t a[4],b[4]; int n = atoi(v[1]); printf("%d\n",f(a,b,n)); return 0; }
