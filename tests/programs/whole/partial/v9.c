// SPDX-License-Identifier: Apache-2.0
// offload: f
#include <stdint.h>
#include <stdio.h>
int f(const uint8_t *key, const uint32_t *in, uint32_t *out, uint32_t n, uint32_t k)
{
    if (k) { if (key[0] == 0) goto end; } for (uint32_t i = 0; i < n; i++) out[i] = in[i] ^ k; return 0; end: return -1;
}
int main(void){ uint8_t key[8]={1,0,2,2,3,3,4,4}, bad[8]={0,5}; uint32_t a[4]={5,6,7,8},b[4]={0},c[4]={7,7,7,7}; int q=f(key,a,b,4,1); int r=f(bad,a,c,4,1); printf("%d %d: %u %u %u %u / %u %u %u %u\n",q,r,b[0],b[1],b[2],b[3],c[0],c[1],c[2],c[3]); return 0; }
